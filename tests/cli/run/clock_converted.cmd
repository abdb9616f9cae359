weir run clock_converted.yaml
