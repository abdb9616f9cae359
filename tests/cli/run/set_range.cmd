weir run expect_met.yaml --set exec.quantum=0
