weir run limit_divergent_loop.yaml --max-instructions 10000
