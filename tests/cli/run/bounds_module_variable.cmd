weir run bounds_module_variable.yaml
