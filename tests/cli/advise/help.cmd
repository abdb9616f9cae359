weir help advise
