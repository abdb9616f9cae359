weir run spmv --input test --gpu fermi-s3 --per-load --per-sm
