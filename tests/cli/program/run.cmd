weir run -- "$CLIENT" ../../../workloads/bfs/bfs.yaml test exit 3
