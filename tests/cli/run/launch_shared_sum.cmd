weir run launch_shared_sum.yaml
