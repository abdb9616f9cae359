weir run stack_mutual.yaml
