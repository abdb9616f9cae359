# The program is named without its folder: the trace holds the command line, and its size is shown.
PATH=$(dirname "$CLIENT"):$PATH
weir record --no-provenance -o $TMP/x.wtrace -- true
weir record --no-provenance -o $TMP/x.wtrace -- program_client ../../../workloads/bfs/bfs.yaml test crash
echo "exit $?"
weir record --no-provenance -o $TMP/x.wtrace --
weir record -- true
weir record --no-provenance -o $TMP/x.wtrace --count 2 spmv
weir record --no-provenance -o $TMP/x.wtrace spmv -- true
weir record --no-provenance -o $TMP/x.wtrace -- nosuch
