weir explain --set
