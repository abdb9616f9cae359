weir classify -o $TMP/tagged.ptx --tags $TMP/tags.yaml -- "$CLIENT" ../../../workloads/bfs/bfs.yaml test exit 3 2>/dev/null
echo "exit $?"
grep -c 'ld.global.c[ag]' $TMP/tagged.ptx
weir classify -q bfs --input test -o $TMP/same.ptx
cmp $TMP/tagged.ptx $TMP/same.ptx
weir run --gpu fermi-s4 --scheme static --tags $TMP/tags.yaml -- "$CLIENT" ../../../workloads/bfs/bfs.yaml test 2>&1 | grep ' bfs .*sm.warps'
weir run --gpu fermi-s4 --scheme static --tags $TMP/tags.yaml bfs --input test | grep ' bfs .*sm.warps'
