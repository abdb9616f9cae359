weir run readonly_parameter.yaml
