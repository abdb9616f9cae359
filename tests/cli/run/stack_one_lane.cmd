weir run stack_one_lane.yaml
