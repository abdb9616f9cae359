weir run barrier_many.yaml
