weir run --gpu fermi-s3 -- "$CLIENT" ../../../workloads/bfs/bfs.yaml test crash
