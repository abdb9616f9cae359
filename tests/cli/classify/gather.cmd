weir classify gather
