weir characterize
weir characterize gather spmv
weir characterize gahter
weir characterize gather --json - --csv -
weir characterize gather --jobs 2
weir characterize gather --stretch 0
weir characterize gather --threads 0
weir characterize gather --kernels x
weir characterize gather --opcode-class X=INT
weir characterize x.wtrace --input test
printf 'kernel-1.traceg\n' > "$TMP/kernelslist.g"
weir characterize "$TMP/kernelslist.g" --classes
weir characterize gather --set cls.low=0.8
weir characterize gather --json "$TMP/nowhere/x.json"
weir characterize --
weir characterize spmv -- ./app
