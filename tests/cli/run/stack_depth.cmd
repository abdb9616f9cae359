weir run stack_depth.yaml
