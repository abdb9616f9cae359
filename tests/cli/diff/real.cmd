# What weir writes itself is read: the same again is equal, and a setting makes a difference.
cd "$TMP"
weir run -q gather --input test --gpu fermi-s3 --json a.json
weir run -q gather --input test --gpu fermi-s3 --json b.json --no-provenance
weir run -q gather --input test --gpu fermi-s3 --set l1.mshr_entries=64 --json c.json
weir record -q -o g.wtrace gather --input test
weir replay -q g.wtrace --gpu fermi-s3 --json d.json
weir compare -q gather --input test -S baseline,tsc --json e.json
weir diff a.json b.json --exit-code
weir diff a.json c.json | head -6
weir diff a.json c.json --top 0 | grep -c points
weir diff a.json d.json | grep -v -e func -e "^$"
weir diff e.json#1 e.json#2 | head -6
weir diff a.json <(weir run -q gather --input test --gpu fermi-s3 --json -) --exit-code | tail -1
