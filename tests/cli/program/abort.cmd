weir run --quiet -- "$CLIENT" ../../../workloads/bfs/bfs.yaml test abort
