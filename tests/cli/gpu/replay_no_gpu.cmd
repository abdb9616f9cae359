weir replay nothing.wtrace
