# .cg takes the place of .nc, .ca stands beside it.
# slow: many runs of a whole input, each of them like one of other cases
weir classify spmv -q -o "$TMP/spmv.ptx" --cm cg
diff ../../../workloads/spmv/spmv.ptx "$TMP/spmv.ptx" | grep '^>'
cp ../../../workloads/spmv/spmv.yaml "$TMP"
weir run "$TMP/spmv.yaml" --input profile | tail -n 1
