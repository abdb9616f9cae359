weir run bounds_atomic.yaml
