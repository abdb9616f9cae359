weir run launch_extern_variable.yaml
