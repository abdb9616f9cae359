printf 'weir: 1\nabout: x\npolicies: [coordinated]\nprepare: clasify\n' > "$TMP/bad.yaml"
weir run vecadd --input profile --gpu fermi-s4 --scheme "$TMP/bad.yaml"
touch "$TMP/file"
WEIR_CACHE="$TMP/file/cache" weir run vecadd --input profile --gpu fermi-s4 --scheme static --quiet
