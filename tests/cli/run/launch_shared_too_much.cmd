weir run launch_shared_too_much.yaml
