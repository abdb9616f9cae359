weir run limit_setting.yaml --set exec.max_instructions=100
