weir run bounds_vector.yaml
