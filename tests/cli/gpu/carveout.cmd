# launch.carveout: what kernels prefer that prefer nothing themselves; of a launch file, of a trace, also timed twice.
sizes() {
  python3 -c 'import json, sys
root = json.load(sys.stdin)
for x in root["runs"][0]["launches"] if "runs" in root else root["kernels"]:
    print(sys.argv[1], x["timing"]["l1"]["bytes"], x["timing"]["blocks_per_sm"], x["timing"]["blocks_limited_by"])' "$1"
}
weir record -q -o "$TMP/c.wtrace" carveout.yaml
for percent in -1 0 50 100; do
  weir run carveout.yaml --gpu v100 -q --check --no-provenance --json - --set launch.carveout=$percent | sizes "run $percent"
  weir replay "$TMP/c.wtrace" --gpu v100 -q --no-provenance --json - --set launch.carveout=$percent | sizes "replay $percent"
done
weir run carveout.yaml --gpu v100 -q --warm --no-provenance --json - --set launch.carveout=0 | sizes "warm 0"
# An L1 of its own has nothing to share.
weir run carveout.yaml --gpu fermi-s3 --set launch.carveout=0
