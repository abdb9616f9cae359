weir run expect_met.yaml -m lots
