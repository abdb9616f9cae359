weir help lits
