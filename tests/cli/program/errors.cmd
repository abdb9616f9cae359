weir run --
weir run spmv -- true
weir run --json - -- true
weir run --json nowhere/x.json -- true
weir run --kernels 'a(' -- true
weir run --skip -1 -- true
weir run --skip 1 spmv
weir run --memcheck spmv
weir run --input eval -- true
weir run --functional --per-load -- true
weir run --scheme coordinated -- true
weir run --gpu nosuch -- true
weir run -- nosuch-program
weir run -- ./errors.cmd
