weir record -o $TMP/x.wtrace --skip 1 --count 4 -- "$CLIENT" ../../../workloads/bfs/bfs.yaml profile exit 3
echo "exit $?"
weir replay $TMP/x.wtrace --gpu fermi-s3 | grep bfs
weir run --gpu fermi-s3 --skip 1 --count 4 -- "$CLIENT" ../../../workloads/bfs/bfs.yaml profile 2>&1 | grep ' bfs '
