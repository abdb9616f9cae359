weir run launch_grid_empty.yaml
