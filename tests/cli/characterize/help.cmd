weir help characterize
