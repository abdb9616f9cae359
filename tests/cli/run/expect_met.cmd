weir run expect_met.yaml
