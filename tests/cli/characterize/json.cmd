# The shape of it; statistics of the run are those of weir run, and a load has what all scopes have.
weir characterize vecadd --input test --json - --no-provenance > "$TMP/v.json"
python3 - "$TMP/v.json" <<'END'
import json, sys
d = json.load(open(sys.argv[1]))
for scope in [d] + d["kernels"]:
    scope["timing"] = list(scope["timing"])
    scope["locality"] = list(scope["locality"])
for kernel in d["kernels"]:
    kernel["arrays"] = list(kernel["arrays"])
    kernel["loads"] = kernel["loads"][:1]
print(json.dumps(d, indent=1))
END
# The parts add up, and bounds hold.
weir characterize bfs --input test --set l1.ways=1 -q --json "$TMP/x.json"
python3 - "$TMP/x.json" <<'END'
import json, sys
d = json.load(open(sys.argv[1]))
all_loads = [l["locality"] for k in d["kernels"] for l in k["loads"]]
l = d["locality"]
for key, value in l.items():
    total = {p: sum(x[key].get(p, 0) for x in all_loads) for p in value} if isinstance(value, dict) else sum(x[key] for x in all_loads)
    assert total == value, key
n = l["references"]
assert n == d["timing"]["l1"]["loads"] - l["past"] == sum(l["misses"].values())
assert n == l["first"] + sum(l["access_distance"].values()) == l["first"] + sum(l["stack_distance"].values())
assert n == l["first"] + sum(l["needs_lines"].values()) == l["first"] + sum(l["used_before_by"].values())
assert l["lines"] == sum(l["reuse"].values()) and l["evicted"] == sum(l["used_sectors"].values())
assert l["misses"]["capacity"] + l["misses"]["conflict"] == sum(l["evicted_by"].values())
assert sum(sum(e[w] for w in ("same_warp", "same_block", "same_launch", "earlier_launch")) for e in d["evictions"]) == \
    sum(l["evicted_by"].values()) > 0
assert l["answered"] + l["pending"] <= l["opt"] <= l["opt_chunk"] <= n - l["first"]
assert l["misses"]["none"] <= l["opt"]
assert sum(s["references"] for k in d["kernels"] for s in k["footprint"]) == n
curve = [p["miss_ratio"] for p in d["miss_ratio_curve"]]
assert curve == sorted(curve, reverse=True) and round(curve[-1] * n) == l["first"]
print("it adds up")
END
