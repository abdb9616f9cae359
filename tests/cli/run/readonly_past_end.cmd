weir run readonly_past_end.yaml
