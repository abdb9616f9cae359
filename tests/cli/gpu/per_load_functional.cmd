weir run spmv --per-load
