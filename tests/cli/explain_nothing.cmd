weir explain
