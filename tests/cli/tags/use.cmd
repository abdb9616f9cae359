# The first load bypasses the L1, the second does not.
weir run vecadd --input profile --gpu fermi-s4 --scheme static --tags vecadd.yaml --per-load --check | grep -e '0x78' -e '0x80'
weir run vecadd --input profile --gpu fermi-s4 --scheme coordinated --tags vecadd.yaml --json - | python3 -c "import json,sys; p=json.load(sys.stdin)['runs'][0]['launches'][0]['timing']['parts']['coordinated']; print(p['cg_bypassed'], p['ca_loads'], p['untagged'], p['periods'] > 0)"
weir compare vecadd --input profile -g fermi-s4 -S coordinated,dynamic,static --tags vecadd.yaml --csv - --no-provenance | cut -d, -f4,5
