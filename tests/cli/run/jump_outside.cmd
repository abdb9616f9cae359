weir run jump_outside.yaml
