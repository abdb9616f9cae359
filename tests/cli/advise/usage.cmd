weir advise
weir advise gather spmv
weir advise gahter
weir advise gather --trials 0
weir advise gather --repeat 1
weir advise gather --min-gain -3
weir advise gather --json - --patch -
weir advise gather -o "$TMP/x.ptx" -o "$TMP/y.ptx"
weir advise gather --patch "$TMP/nowhere/x.patch"
weir advise gather --set cls.low=0.8
weir advise gather --count 3
weir advise --input test -- ./app
