weir run limit_storing_loop.yaml --max-instructions 10000
