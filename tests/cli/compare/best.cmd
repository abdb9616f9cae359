# The best of several values, for each workload.
# slow: many runs, each of them like one of other cases
weir compare vecadd gather -i test -S baseline,random-bypass --best random-bypass.p=0.25,0.5,0.75 | sed -n '/the best/,/^energy/p'
weir compare gather -i test -S baseline,random-best --csv $TMP/a.csv --json $TMP/a.json --store $TMP/s.db --quiet
grep -v '^#' $TMP/a.csv | cut -d, -f2,4,9 > $TMP/left
grep -v '^#' $TMP/a.csv | rev | cut -d, -f1,2 | rev | paste -d, $TMP/left -
weir query $TMP/s.db "SELECT count(*) AS runs FROM runs"
grep -c '"value"' $TMP/a.json
# A value that was chosen is not searched for.
weir compare gather -i test -S baseline,random-best -s random-bypass.p=0.5 | grep -c 'the best'
weir run gather -i test -g fermi-s3 --scheme random-best
weir run gather -i test -g fermi-s3 --scheme random-best --set random-bypass.p=0.5 --quiet
weir sweep gather -i test -S random-best --store $TMP/t.db
weir compare gather -i test -S baseline,tsc --best random-bypass.p=0.1,0.2
weir compare gather -i test -S random-bypass --best random-bypass.q=0.1,0.2
weir compare gather -i test -S random-bypass --best random-bypass.p
weir compare gather -i test -S random-bypass --best random-bypass.p=0.1..0.5
weir compare gather -i test -S random-bypass --search some
