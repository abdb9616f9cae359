weir run --clocks --gpu fermi-s3 -- "$CLIENT" ../gpu/clocks.yaml eval
