weir run texture_unbound.yaml
