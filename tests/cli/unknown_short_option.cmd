weir list -x
