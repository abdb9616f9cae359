weir run misaligned_shared.yaml
