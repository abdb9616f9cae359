weir run expect_met.yaml --set exec.quantun=5
