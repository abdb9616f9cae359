weir run readonly_as_global.yaml
