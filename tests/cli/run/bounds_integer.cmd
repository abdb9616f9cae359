weir run bounds_integer.yaml
