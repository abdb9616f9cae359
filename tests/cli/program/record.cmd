# The program is named without its folder: the trace holds the command line, and its size is shown.
PATH=$(dirname "$CLIENT"):$PATH
weir record --no-provenance -o $TMP/x.wtrace --skip 1 --count 4 -- program_client ../../../workloads/bfs/bfs.yaml test exit 3
echo "exit $?"
weir replay $TMP/x.wtrace --gpu fermi-s3 | grep bfs
weir run --gpu fermi-s3 --skip 1 --count 4 -- program_client ../../../workloads/bfs/bfs.yaml test 2>&1 | grep ' bfs '
