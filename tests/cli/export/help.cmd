weir export --help
