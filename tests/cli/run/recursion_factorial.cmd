weir run recursion_factorial.yaml -q
