weir run vecadd --gpu fermi-s3 --tags bad.yaml
