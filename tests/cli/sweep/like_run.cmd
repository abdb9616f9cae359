# A run in a store has the statistics of weir run: of all of it, and of each kernel.
cd $TMP
weir sweep reduction -i test -S decoupled --set l1.size=16K,32K --store s.db -q
weir run reduction -g fermi-s3 -i test -S decoupled --set l1.size=32K -q --no-provenance --json run.json
python3 - <<'EOF'
import json, sqlite3
store = sqlite3.connect("s.db")
run = store.execute("SELECT run FROM settings WHERE key = 'l1.size' AND value = '32768'").fetchone()[0]
def stored(kernel):
    return dict(store.execute("SELECT n.name, value FROM statistics JOIN names AS n ON n.id = name_id WHERE run = ? AND kernel = ?",
                              (run, kernel)))
timed = json.load(open("run.json"))["runs"][0]
names = [row[0] for row in store.execute("SELECT name FROM kernels WHERE run = ? ORDER BY number", (run,))]
for number, name in enumerate(names, 1):
    launches = [l["timing"] for l in timed["launches"] if l["kernel"] == name]
    got, n = stored(number), 0
    assert got["launches"] == len(launches) and got["cycles"] == sum(l["cycles"] for l in launches)
    for group in ("sm", "l1", "l2", "dram"):
        for stat, value in launches[0][group].items():
            if isinstance(value, int):  # counters add up, maxima do not
                values = [l[group][stat] for l in launches]
                assert got[f"{group}.{stat}"] in (sum(values), max(values)), (group, stat)
                n += got[f"{group}.{stat}"] == sum(values)
    print(name, len(launches), n > 60)
assert stored(0)["cycles"] == sum(l["timing"]["cycles"] for l in timed["launches"])
EOF
