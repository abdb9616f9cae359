weir run launch_extern_function.yaml
