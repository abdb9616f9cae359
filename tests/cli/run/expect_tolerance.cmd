weir run expect_tolerance.yaml
