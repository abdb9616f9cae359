weir run bounds_repetition.yaml
