weir record -o $TMP/x.wtrace -- true
weir record -o $TMP/x.wtrace -- "$CLIENT" ../../../workloads/bfs/bfs.yaml profile crash
echo "exit $?"
weir record -o $TMP/x.wtrace --
weir record -- true
weir record -o $TMP/x.wtrace --count 2 spmv
weir record -o $TMP/x.wtrace spmv -- true
weir record -o $TMP/x.wtrace -- nosuch
