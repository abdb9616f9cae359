weir run limit_plain_loop.yaml --max-instructions 10000
