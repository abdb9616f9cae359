weir run misaligned_global.yaml
