weir run bounds_before_start.yaml
