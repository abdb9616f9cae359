weir run vecadd --input small
