weir run readonly_store.yaml
