# slow: many runs, each of them like one of other cases
# A division of L1 and shared memory is advised as well, and the promise holds with it.
cp ../../../workloads/transpose/transpose.yaml "$TMP"
weir advise transpose --input test --gpu v100 --set sm.count=2 --repeat 2 -o "$TMP/transpose.ptx" --json "$TMP/advice.json" --no-provenance
weir run "$TMP/transpose.yaml" --input test --gpu v100 --set sm.count=2 --set launch.carveout=100 -q --json "$TMP/run.json" --no-provenance
python3 - "$TMP" <<'EOF'
import json, sys
advice = json.load(open(sys.argv[1] + "/advice.json"))
launches = json.load(open(sys.argv[1] + "/run.json"))["runs"][0]["launches"]
cycles, advised = launches[0]["timing"]["cycles"], advice["kernels"][0]["cycles_advised"]
print("the same" if advised == cycles < advice["cycles"] else f"{advised} promised, {cycles} timed")
EOF
