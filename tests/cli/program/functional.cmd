weir run --functional -- "$CLIENT" ../../../workloads/bfs/bfs.yaml profile say 'a message of the library'
