weir run bounds_null.yaml
