# A design that is switched off is the baseline, in every number but its own.
# slow: many runs, each of them like one of other cases
same() { # NAME, OPTION...
  name=$1
  shift
  weir run spmv gather transpose --input test --gpu fermi-s3 "$@" --json "$TMP/$name.json" > "$TMP/$name.txt" || exit
  python3 - "$TMP/baseline.json" "$TMP/$name.json" "$name" <<'P'
import json, sys
def timing(path):
    launches = [l["timing"] for r in json.load(open(path))["runs"] for l in r["launches"]]
    return [{k: v for k, v in t.items() if k not in ("parts", "energy", "energy_notes", "storage")} for t in launches]
a, b = (timing(p) for p in sys.argv[1:3])
print(sys.argv[3], "same" if a == b else [k for x, y in zip(a, b) for k in {**x, **y} if x.get(k) != y.get(k)])
P
}
same baseline
same decoupled --scheme decoupled --set decoupled.threshold=0
same two-level --scheme two-level --set two-level.low=1 --set two-level.high=1 --set two-level.warps=0 --set two-level.min_accesses=0
same pc-bypass --scheme pc-bypass --set pc-bypass.threshold=256
same mrpb --scheme mrpb --set mrpb.reorder=false --set mrpb.bypass_on=none
same swl --policies swl,lru --set swl.warps=64
same ccws --scheme ccws --set ccws.k=0
