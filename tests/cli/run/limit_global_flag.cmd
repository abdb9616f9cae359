weir run limit_global_flag.yaml -m 5k
