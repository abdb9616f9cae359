weir run expect_met.yaml --set exec.wave=many
