weir run all --input nosuch
