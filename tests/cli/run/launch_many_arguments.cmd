weir run launch_many_arguments.yaml
