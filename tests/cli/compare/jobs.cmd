# The same bytes from any number of jobs.
# slow: many runs, each of them like one of other cases
for n in 1 2 5; do
  weir compare vecadd spmv reduction -S baseline,decoupled,pc-bypass -i test -q --jobs $n --csv $TMP/$n.csv --json $TMP/$n.json
done
cmp $TMP/1.csv $TMP/2.csv && cmp $TMP/1.csv $TMP/5.csv && cmp $TMP/1.json $TMP/2.json && cmp $TMP/1.json $TMP/5.json && echo same
grep -v "^#" $TMP/1.csv | cut -d, -f1-7
grep -vc "^#" $TMP/1.csv
