weir help classify
