weir help sweep
