weir help merge
