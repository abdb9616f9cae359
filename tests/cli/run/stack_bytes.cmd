weir run stack_bytes.yaml
