weir run simt/clocks --clocks
