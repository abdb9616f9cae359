weir run expect_met.yaml --streams --check -q
