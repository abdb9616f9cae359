weir query --help
