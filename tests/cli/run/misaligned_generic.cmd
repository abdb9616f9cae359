weir run misaligned_generic.yaml
