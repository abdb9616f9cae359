weir run misaligned_vector.yaml
