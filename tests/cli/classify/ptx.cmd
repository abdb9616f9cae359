# Only operators have changed, and the results are those of the workload.
W=../../../workloads/bfs
weir classify bfs --input test -q -o "$TMP/bfs.ptx"
diff $W/bfs.ptx "$TMP/bfs.ptx"
cp $W/bfs.yaml "$TMP"
weir run "$TMP/bfs.yaml" --input test | tail -n 1
weir classify "$TMP/bfs.yaml" --input test | tail -n 2
