weir run --set sm.registers=2048 -- "$CLIENT" ../../../workloads/bfs/bfs.yaml test
