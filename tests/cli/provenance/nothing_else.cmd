# Threads, jobs, and where outputs go are no part of it, and neither is the order of options.
# slow: many runs, each of them like one of other cases
cd $TMP
weir run vecadd gather -i test --gpu fermi-s3 --json 1.json -q
weir run -q --threads 3 --check --gpu fermi-s3 vecadd --set l1.mshr_entries=32 gather --input=test --scheme baseline --json 2.json --all --per-load --per-launch
cmp 1.json 2.json && echo same
weir compare vecadd gather -i test -S baseline,tsc -q --json 1.json --csv 1.csv
weir compare -w gather -w vecadd -S baseline,tsc -i test --jobs 1 -q --json 2.json > /dev/null
weir compare -w vecadd -w gather -b baseline -S baseline,tsc -i test --jobs 1 --json 3.json --csv 3.csv > /dev/null
diff 1.csv 3.csv
cmp -s 1.json 2.json || echo other order
# Another weir is no obstacle, but it is said.
weir run vecadd -i test -q --json 4.json
sed -i 's/"commit": "[^"]*"/"commit": "another"/' 4.json
weir run --like 4.json --json 5.json 2>&1 > /dev/null | sed 's/\(is [0-9.]* \)(.*)/\1(...)/'
weir run --like 4.json --json 6.json -q
cmp 5.json 6.json && diff 4.json 5.json | grep -c commit
