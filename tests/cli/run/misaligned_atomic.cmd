weir run misaligned_atomic.yaml
