weir help compare
