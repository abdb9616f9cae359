weir classify gather --graph -
