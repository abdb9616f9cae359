weir run bounds_dynamic_shared.yaml
