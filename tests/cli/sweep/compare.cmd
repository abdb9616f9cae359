# A comparison finds runs of a sweep, and the other way round; tables and files are the same.
# slow: many runs, each of them like one of other cases
cd $TMP
compare() { weir compare reduction vecadd -i test -S baseline,tsc+ --per-kernel --no-provenance --csv $1.csv --json $1.json "${@:2}" > $1.txt; }
weir sweep reduction -i test -S baseline,tsc+ --set l1.ways=4 --store s.db
compare alone --set l1.ways=4
compare first --set l1.ways=4 --store s.db
compare second --set l1.ways=4 --store s.db
for f in csv txt; do cmp alone.$f first.$f && cmp first.$f second.$f && echo same; done
for f in alone first second; do grep -e executions -e replays $f.json; done
grep -ve executions -e replays alone.json > a; grep -ve executions -e replays second.json | cmp - a && echo same
weir sweep reduction vecadd -i test -S baseline,tsc+ --set l1.ways=4 --store s.db
