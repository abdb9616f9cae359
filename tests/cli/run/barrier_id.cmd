weir run barrier_id.yaml
