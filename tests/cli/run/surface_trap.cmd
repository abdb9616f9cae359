weir run surface_trap.yaml
