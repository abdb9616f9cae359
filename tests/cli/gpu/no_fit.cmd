weir run vecadd --gpu fermi-s3 --set sm.shared_bytes=0 --set sm.warps=4 --input test
