weir run launch_maxntid.yaml
