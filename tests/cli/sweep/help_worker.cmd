weir help worker
