weir run launch_block_empty.yaml
