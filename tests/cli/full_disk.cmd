weir --help >/dev/full
