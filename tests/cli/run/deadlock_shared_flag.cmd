weir run deadlock_shared_flag.yaml --set exec.deadlock_quanta=50 --streams
