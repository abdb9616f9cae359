weir run expect_met.yaml -o x
