weir list --names=yes params
