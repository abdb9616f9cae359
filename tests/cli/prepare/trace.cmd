weir record vecadd --input profile -o "$TMP/v.wtrace" -q
cd "$TMP"
weir replay v.wtrace --gpu fermi-s4 --scheme static
weir compare v.wtrace vecadd --input profile -S baseline,static -g fermi-s4 | grep -e '^v' -e ^failed
