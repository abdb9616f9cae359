weir run launch_block_too_large.yaml
