weir run vecadd --input test --gpu fermi-s3 --clocks | tail -4
