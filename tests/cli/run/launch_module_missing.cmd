weir run launch_module_missing.yaml
