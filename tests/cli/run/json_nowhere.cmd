weir run expect_met.yaml --json nowhere/x.json
