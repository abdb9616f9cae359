weir run readonly_atomic.yaml
