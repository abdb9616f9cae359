weir run sparse-mv
