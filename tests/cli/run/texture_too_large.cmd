weir run texture_too_large.yaml
