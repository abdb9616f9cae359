weir help plot
