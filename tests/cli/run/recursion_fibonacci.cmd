weir run recursion_fibonacci.yaml -q
