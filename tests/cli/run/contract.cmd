show() { od -An -tx4 "$TMP/out.bin"; }
weir run contract.yaml -q -o out=$TMP/out.bin && show
weir run contract.yaml -q -o out=$TMP/out.bin --no-contract && show
weir run contract.yaml -q -o out=$TMP/out.bin --set exec.contract=false && show
weir record contract.yaml -q --no-provenance --no-contract -o $TMP/a.wtrace
weir record contract.yaml -q --no-provenance -o $TMP/b.wtrace
cmp $TMP/a.wtrace $TMP/b.wtrace && echo "the trace is that of the text"
