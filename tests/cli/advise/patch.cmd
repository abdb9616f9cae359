# The patch fits its source.
mkdir "$TMP/app" && cp ../../../workloads/spmv/spmv.* "$TMP/app" && cd "$TMP/app"
weir advise spmv.yaml --input test --gpu fermi-s4 -q --trials 12 --repeat 2 --patch spmv.patch
cp spmv.cu before.cu
patch -p1 < spmv.patch
diff before.cu spmv.cu | grep -v '^>' 
grep -n 'fmaf\|for (' spmv.cu
