weir run expect_met.yaml --max-instructions
