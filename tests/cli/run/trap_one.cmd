weir run trap_one.yaml
