weir run expect_formula.yaml
