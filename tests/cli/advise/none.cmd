# Nothing to gain, and nothing is written but the text as it is.
weir advise bfs --input test --gpu fermi-s4 --trials 9 --repeat 2 -o "$TMP/bfs.ptx" --patch "$TMP/bfs.patch" | tail -n 1
cmp ../../../workloads/bfs/bfs.ptx "$TMP/bfs.ptx" && test ! -s "$TMP/bfs.patch" && echo as it is
