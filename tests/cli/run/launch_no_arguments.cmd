weir run launch_no_arguments.yaml
