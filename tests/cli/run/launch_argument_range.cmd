weir run launch_argument_range.yaml
