weir run -- "$CLIENT" ../../../workloads/bfs/bfs.yaml profile exit 3
