weir run nowhere/at/all.yaml
