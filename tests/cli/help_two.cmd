weir help help list
