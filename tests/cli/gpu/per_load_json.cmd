weir run spmv-vector --input test --gpu fermi-s3 --per-sm --json "$TMP/o.json" -q
python3 - "$TMP/o.json" <<'END'
import json, sys
t = json.load(open(sys.argv[1]))["runs"][0]["launches"][0]["timing"]
loads = [x for x in t["instructions"] if x["access"] == "load"]
print(len(loads), "loads, the first of", loads[0]["file"].split("/")[-1], loads[0]["line"])
for name in "hits", "hit_reserved", "misses", "partial_misses", "bypassed":
    print(name, sum(x[name] for x in loads) == t["l1"][name], sum(t["per_sm"]["l1"][name]) == t["l1"][name])
print(sum(t["per_sm"]["sm"]["warp_insns"]) == t["sm"]["warp_insns"], max(t["per_sm"]["cycles"]) == t["cycles"])
print(round(t["derived"]["warp_ipc"] * t["cycles"]) == t["sm"]["warp_insns"])
END
