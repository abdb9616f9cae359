weir run limit_in_function.yaml --max-instructions 10000
