weir help reproduce
