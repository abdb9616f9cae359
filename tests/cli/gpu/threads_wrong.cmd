for n in 0 257 2x 2.5 -1 '' ' 2' 18446744073709551617; do
  weir run vecadd --gpu fermi-s3 --input test -q --threads "$n" 2>&1 | head -n 1
done
weir run vecadd -q -m 000000000000000000000000000000009x
weir replay x.wtrace --gpu fermi-s3 -t 2x
