weir run misaligned_store.yaml
