weir run deadlock_two_barriers.yaml
