weir run clocks.yaml --gpu fermi-s3 --clocks
