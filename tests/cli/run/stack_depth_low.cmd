weir run stack_depth_low.yaml --set exec.max_depth=20
