weir run --quiet -- "$CLIENT" ../../../workloads/bfs/bfs.yaml profile abort
