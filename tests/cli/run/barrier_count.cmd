weir run barrier_count.yaml
