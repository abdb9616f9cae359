weir run launch_device_memory.yaml --set exec.device_memory=64M
