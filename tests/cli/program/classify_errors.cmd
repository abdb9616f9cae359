weir classify -- true
weir classify --
weir classify spmv -- true
weir classify -o a.ptx -o b.ptx -- true
weir classify --count 1 spmv
weir classify -- nosuch
