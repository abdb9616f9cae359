weir run vecadd --gpu fermi-s3 --threads 0
