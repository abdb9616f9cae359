# A row for each run, in the order of what was run; settings that vary, and all statistics.
"$SAMPLE_STORE" "$TMP/s.db"
weir export "$TMP/s.db" --csv "$TMP/s.csv"
head -5 "$TMP/s.csv"
python3 - "$TMP/s.csv" <<'P'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1], newline="")))
print(len(rows), len({tuple(r.items()) for r in rows}), sum(r["status"] == "ok" for r in rows))
for r in rows:
    if r["status"] != "ok":
        print(r["workload"], r["status"], repr(r["message"]), repr(r["seconds"]), repr(r["cycles"]))
print([(r["seed"], r["l1.size"]) for r in rows[:4]])
P
