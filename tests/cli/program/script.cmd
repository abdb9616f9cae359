weir run --gpu fermi-s3 -- sh -c '"$CLIENT" ../../../workloads/bfs/bfs.yaml profile; "$CLIENT" ../../../workloads/vecadd/vecadd.yaml profile; exit 4'
