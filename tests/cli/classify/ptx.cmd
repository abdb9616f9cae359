# Only operators have changed, and the results are those of the workload.
W=../../../workloads/bfs
weir classify bfs -q -o "$TMP/bfs.ptx"
diff $W/bfs.ptx "$TMP/bfs.ptx"
cp $W/bfs.yaml "$TMP"
weir run "$TMP/bfs.yaml" --input profile | tail -n 1
weir classify "$TMP/bfs.yaml" | tail -n 2
