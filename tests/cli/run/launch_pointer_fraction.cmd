weir run launch_pointer_fraction.yaml
