weir run --kernels '^b' --skip 2 --count 3 --json $TMP/out.json -- "$CLIENT" ../../../workloads/bfs/bfs.yaml test
echo "exit $?"
python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(d["weir_result"], [(r["workload"], r["results_checked"], r["launches_not_wanted"], [(l["launch"], l["kernel"], l["stream"], l["timing"]["cycles"]) for l in r["launches"]]) for r in d["runs"]])' $TMP/out.json
weir run --kernels nothing -- "$CLIENT" ../../../workloads/bfs/bfs.yaml test
weir run --count 0 -- "$CLIENT" ../../../workloads/bfs/bfs.yaml test
