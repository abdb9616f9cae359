weir run launch_few_arguments.yaml
