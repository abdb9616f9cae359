weir run vecadd --gpu fermi-s3 --scheme own_replacement.yaml
