weir run vecadd --gpu fermi-s3 --scheme bad_certainty.yaml
