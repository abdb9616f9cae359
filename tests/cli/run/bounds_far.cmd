weir run bounds_far.yaml
