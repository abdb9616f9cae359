# Samples of decisions: bounded, the same for any number of jobs, in JSON and in a store, added to runs that a store has; results stay.
cd "$TMP"
weir compare lud -q -i test -S baseline,two-level --json plain.json --store a.db
weir compare lud -q -i test -S baseline,two-level --jobs 1 --decisions --json one.json --store b.db --no-provenance
weir compare lud -q -i test -S baseline,two-level --jobs 2 --decisions --json two.json --no-provenance
weir compare lud -q -i test -S baseline,two-level --decisions --json added.json --store a.db --no-provenance
weir compare lud -q -i test -S baseline,two-level --decisions --json kept.json --store b.db --no-provenance
cmp one.json two.json && cmp one.json added.json && echo the same
python3 - <<'END'
import json
plain, one, kept = (json.load(open(f + ".json")) for f in ("plain", "one", "kept"))
print("replays", one["replays"], kept["replays"])
for before, run, again in zip(plain["runs"], one["runs"], kept["runs"]):
    d = run.pop("decisions")
    print(run["scheme"], before == run, again["decisions"] == d, len(d["cycles"]) <= 200, d["every"], d["launched"], d["end"] == run["cycles"])
    print(*[f"{k} {v['kind']} {v['unit']}" for k, v in d["series"].items() if v["kind"] == "level" or k.startswith("l1.")], sep=", ")
END
weir query a.db "SELECT run, json_extract(samples, '$.launches[2].kernel') AS third FROM decisions"
weir export a.db --dump a.txt && weir export b.db --dump b.txt && cmp a.txt b.txt
weir compare lud -i test -S baseline --decisions
