weir run deadlock_short_barrier.yaml
