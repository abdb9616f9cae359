# What is promised is what the PTX that is written does, cycle by cycle.
cp ../../../workloads/spmv/spmv.yaml "$TMP"
weir advise spmv --input test --gpu fermi-s4 -q --trials 12 --repeat 2 -o "$TMP/spmv.ptx" --json "$TMP/advice.json" --no-provenance
weir run "$TMP/spmv.yaml" --input test --gpu fermi-s4 -q --json "$TMP/run.json" --no-provenance
python3 - "$TMP" <<'EOF'
import json, sys
advice = json.load(open(sys.argv[1] + "/advice.json"))
launches = json.load(open(sys.argv[1] + "/run.json"))["runs"][0]["launches"]
cycles = sum(launch["timing"]["cycles"] for launch in launches)
print("advised", advice["advised"], sorted({load["hint"] or "-" for load in advice["kernels"][0]["loads"]}))
advised = advice["kernels"][0]["cycles_advised"]
print("the same" if advised == cycles < advice["cycles"] else f"{advised} promised, {cycles} timed")
EOF
