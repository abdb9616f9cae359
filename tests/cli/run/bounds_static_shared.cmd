weir run bounds_static_shared.yaml
