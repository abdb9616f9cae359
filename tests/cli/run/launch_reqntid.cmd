weir run launch_reqntid.yaml
