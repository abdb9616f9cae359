weir run vecadd --gpu fermi-s3 --scheme two_replacements.yaml
