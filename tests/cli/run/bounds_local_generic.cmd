weir run bounds_local_generic.yaml
