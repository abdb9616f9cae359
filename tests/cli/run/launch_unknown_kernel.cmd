weir run launch_unknown_kernel.yaml
