weir run vecadd --scheme decoupled
