weir run launch_unsupported.yaml
