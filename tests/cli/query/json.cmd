# One statement: a list of objects. Several: a list of such lists.
"$SAMPLE_STORE" "$TMP/s.db"
weir query "$TMP/s.db" --json "SELECT workload, message, seconds, seed FROM runs WHERE status <> 'ok' ORDER BY 1"
weir query "$TMP/s.db" --json "SELECT 1 AS x, 2 AS x, 0.1 AS tenth, 9e999 AS infinite, x'00ff' AS bytes, CAST(x'e92f' AS TEXT) AS text; SELECT 1 WHERE 0"
weir query "$TMP/s.db" --json "SELECT 1 WHERE 0"
weir query "$TMP/s.db" --json "SELECT * FROM run_results; SELECT * FROM statistics" | python3 -c '
import json, sys
runs, values = json.load(sys.stdin)
print(len(runs), len(values), runs[0]["cycles"], runs[0]["tag-split.victims"])'
