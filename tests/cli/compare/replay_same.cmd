# A run of a comparison is the run that 'weir run' and 'weir replay' make.
weir record -q -o $TMP/spmv.wtrace spmv --input test
weir compare spmv $TMP/spmv.wtrace -S decoupled --input test --json $TMP/c.json -q
weir replay $TMP/spmv.wtrace --gpu fermi-s3 --scheme decoupled --json $TMP/r.json -q
python3 - $TMP/c.json $TMP/r.json <<'END'
import json, sys
runs = json.load(open(sys.argv[1]))["runs"]
one = json.load(open(sys.argv[2]))["kernels"][0]["timing"]
for run in runs:
    print(run["workload"].split("/")[-1], all(run[k] == one[k] for k in ("cycles", "derived", "sm", "l1", "l2", "dram", "parts")))
END
