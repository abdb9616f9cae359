weir run stencl
