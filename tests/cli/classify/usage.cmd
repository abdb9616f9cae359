weir classify
weir classify gather spmv
weir classify gahter
weir classify gather --input small
weir classify gather --cm ca
weir classify gather --cm lru -o "$TMP/x.ptx"
weir classify gather --json - --graph -
weir classify gather -o "$TMP/x.ptx" -o "$TMP/y.ptx"
weir classify gather -o "$TMP/nowhere/x.ptx"
weir classify gather --gpu fermi
weir classify gather --set cls.low=0.8
weir classify gather --set cls.hih=0.8
weir classify gather --jobs 0
