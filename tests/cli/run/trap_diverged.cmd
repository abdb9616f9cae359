weir run trap_diverged.yaml
