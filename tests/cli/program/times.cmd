weir run --gpu fermi-s3 --quiet -- "$CLIENT" ../../../workloads/bfs/bfs.yaml profile ask
