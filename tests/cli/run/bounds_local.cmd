weir run bounds_local.yaml
