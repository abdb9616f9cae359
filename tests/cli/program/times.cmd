weir run --gpu fermi-s3 --quiet -- "$CLIENT" ../../../workloads/bfs/bfs.yaml test ask
weir run --functional --gpu fermi-s3 --quiet -- "$CLIENT" ../../../workloads/bfs/bfs.yaml test ask
