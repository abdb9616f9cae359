weir run bounds_shared_generic.yaml
