weir run bounds_past_end.yaml
