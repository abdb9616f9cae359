weir characterize --kernels '^b' --count 2 -- "$CLIENT" ../../../workloads/bfs/bfs.yaml test 2>/dev/null | sed -n '1,/^occupancy/p'
weir characterize -q -- "$CLIENT" ../../../workloads/bfs/bfs.yaml test exit 3 2>/dev/null
echo "exit $?"
