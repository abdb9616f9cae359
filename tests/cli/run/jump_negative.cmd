weir run jump_negative.yaml
