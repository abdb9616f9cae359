weir list
