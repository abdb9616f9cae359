weir run launch_unknown_buffer.yaml
