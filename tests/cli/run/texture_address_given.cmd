weir run texture_address_given.yaml
