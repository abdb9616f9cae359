# What is lost to capacity, and to whom.
weir characterize spmv --input test --check --set l1.ways=1 --stretch 64
