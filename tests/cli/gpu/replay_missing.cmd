weir replay nothing.wtrace --gpu fermi-s3
