weir run vecadd --gpu fermi-s3 --scheme decupled
