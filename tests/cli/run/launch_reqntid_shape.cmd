weir run launch_reqntid_shape.yaml
