weir run expect_met.yaml --set exec.simd=avx1024
