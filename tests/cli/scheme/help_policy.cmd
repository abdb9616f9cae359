weir help policy pc-bypass
weir help policy conventional
