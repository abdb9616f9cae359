weir run vecadd --tags vecadd.yaml
