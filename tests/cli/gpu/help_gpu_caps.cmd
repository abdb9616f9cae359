weir help gpu fermi-s3 | sed -n '/^bandwidth/,$p'
