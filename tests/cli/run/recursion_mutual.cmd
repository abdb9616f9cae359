weir run recursion_mutual.yaml -q
