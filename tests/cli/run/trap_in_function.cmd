weir run trap_in_function.yaml
