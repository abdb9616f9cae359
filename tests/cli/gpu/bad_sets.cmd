weir run vecadd --gpu fermi-s3 --set l1.sets=3
