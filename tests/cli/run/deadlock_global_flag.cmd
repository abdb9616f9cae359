weir run deadlock_global_flag.yaml --set exec.deadlock_quanta=50
