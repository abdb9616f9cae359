weir help show
