weir run expect_values.yaml
