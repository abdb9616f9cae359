weir run --functional -- "$CLIENT" ../../../workloads/bfs/bfs.yaml test say 'a message of the library'
