weir list -n -- stats | head -1
