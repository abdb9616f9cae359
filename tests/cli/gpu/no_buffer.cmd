weir run vecadd --gpu fermi-s3 --set noc.request_buffer=1
