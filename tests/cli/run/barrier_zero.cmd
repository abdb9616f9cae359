weir run barrier_zero.yaml
