weir run launch_argument_address.yaml
