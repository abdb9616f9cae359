weir run launch_module_syntax.yaml
