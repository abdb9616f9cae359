weir run trap_always.yaml
