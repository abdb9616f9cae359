weir run bounds_gap.yaml
