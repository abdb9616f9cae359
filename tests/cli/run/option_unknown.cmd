weir run expect_met.yaml --jsn out.json
