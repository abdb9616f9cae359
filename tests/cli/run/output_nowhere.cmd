weir run expect_met.yaml -o x=nowhere/x.bin
