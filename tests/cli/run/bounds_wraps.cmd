weir run bounds_wraps.yaml
