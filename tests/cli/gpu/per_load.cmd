weir run spmv --input profile --gpu fermi-s3 --per-load --per-sm
