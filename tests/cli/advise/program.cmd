# A program runs once; its kernels are those of its PTX.
weir advise --gpu fermi-s4 --trials 12 --repeat 2 -o "$TMP/app.ptx" -- $CLIENT ../../../workloads/spmv/spmv.yaml test | tail -n 1
grep -c 'ld.global.nc.L1::no_allocate' "$TMP/app.ptx"
