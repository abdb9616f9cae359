# Everything outside the block is the same without it.
cd $TMP
strip() { python3 -c "import json,sys; o=json.load(sys.stdin); assert list(o)[0] == 'provenance'; del o['provenance']; print(json.dumps(o,indent=1))"; }
same() { python3 -c "import json,sys; print(json.dumps(json.load(sys.stdin),indent=1))"; }
weir run vecadd -i test --gpu fermi-s3 --json - | strip > 1
weir run vecadd -i test --gpu fermi-s3 --json - --no-provenance | same > 2
cmp 1 2 && echo run
weir record -q -o a.wtrace vecadd -i test
weir record -q -o b.wtrace vecadd -i test --no-provenance
head -c $(($(stat -c %s b.wtrace) - 32)) b.wtrace > b
head -c $(stat -c %s b) a.wtrace | cmp - b && echo record
weir trace verify a.wtrace
weir trace verify b.wtrace
weir trace info a.wtrace | grep made | sed 's/(.*)/(...)/'
weir trace info b.wtrace | grep made
weir replay a.wtrace --gpu fermi-s3 --json - | strip > 1
weir replay a.wtrace --gpu fermi-s3 --json - --no-provenance | same > 2
cmp 1 2 && echo replay
weir compare vecadd -i test -S baseline,tsc -q --csv 1.csv --json 1.json
weir compare vecadd -i test -S baseline,tsc -q --csv 2.csv --json 2.json --no-provenance
grep -v '^#' 1.csv | cmp - 2.csv && echo csv
head -n 1 1.csv
strip < 1.json > 1
same < 2.json > 2
cmp 1 2 && echo compare
weir classify vecadd --json - | strip > 1
weir classify vecadd --json - --no-provenance | same > 2
cmp 1 2 && echo classify
weir run --like 2.json
weir compare --like 2.csv
weir record --like b.wtrace -o c.wtrace
weir compare --like missing.json
