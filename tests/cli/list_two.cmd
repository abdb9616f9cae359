weir list params stats
