# A coin that never falls is the baseline, whatever the model: an interval without length around 1.
# slow: many runs, each of them like one of other cases
weir compare vecadd reduction -S baseline,random-bypass --set random-bypass.p=0 --input test --repeat 3 --check | sed 's/█.*/BAR/' | head -11
weir compare vecadd reduction -S baseline,random-bypass --set random-bypass.p=0 --input test --repeat 3 | grep -A1 "^≈"
cd $TMP
# One repeat is none, to the byte; more of them are the same for any number of jobs.
compare() { weir compare spmv vecadd -S baseline,random-bypass -i test --no-provenance --csv $1.csv --json $1.json $2 > $1.txt; }
compare none
compare once --repeat=1
for e in csv json txt; do cmp none.$e once.$e && echo same; done
for n in 1 3; do
  weir compare spmv vecadd -S baseline,random-bypass -i test -q --repeat 3 --jobs $n --csv $n.csv --json $n.json
done
cmp 1.csv 3.csv && cmp 1.json 3.json && echo same
weir compare --like 1.csv -q --csv again.csv && cmp 1.csv again.csv && echo same
# What a repeat is can be run alone; the next is something else.
weir run spmv -i test --gpu fermi-s3 -q --set jitter.dispatch=16 --set jitter.memory=16 --set jitter.seed=2 --threads 2 --json one.json
python3 - <<'P'
import csv, json
rows = list(csv.DictReader(x for x in open("1.csv") if x[0] != "#"))
print(len(rows), [(r["repeat"], r["seed"]) for r in rows if r["workload"] == "spmv" and r["scheme"] == "baseline"])
cycles = [int(r["cycles"]) for r in rows if r["workload"] == "spmv" and r["scheme"] == "baseline"]
print(len(set(cycles)), cycles[1] == json.load(open("one.json"))["runs"][0]["launches"][0]["timing"]["cycles"])
j = json.load(open("1.json"))
print(len(j["runs"]), len(j["cells"]), j["setups"][0]["jitter"], sorted(j["cells"][1]))
cell = j["cells"][1]
print(cell["speedup_low"] < cell["speedup"] < cell["speedup_high"], abs(float(rows[3]["speedup_low"]) - cell["speedup_low"]) < 1e-6)
P
# What is prepared has no delays: it is the same with and without repeats, and made once.
weir compare gather -S baseline,coordinated -i test -q --json plain.json
weir compare gather -S baseline,coordinated -i test -q --repeat 2 --json twice.json
python3 -c 'import json; a, b = (json.load(open(f + ".json")) for f in ("plain", "twice")); print(a["provenance"]["preparations"] == b["provenance"]["preparations"], len(b["runs"]))'
