weir help list
