weir run --gpu fermi-s3 -- sh -c '"$CLIENT" ../../../workloads/bfs/bfs.yaml test; "$CLIENT" ../../../workloads/vecadd/vecadd.yaml test; exit 4'
