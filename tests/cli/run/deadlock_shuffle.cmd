weir run deadlock_shuffle.yaml
