"$SAMPLE_STORE" "$TMP/s.db"
cp *.json "$TMP"
cd "$TMP"
: > empty
python3 -c 'import sqlite3; sqlite3.connect("other.db").execute("CREATE TABLE t (x)")'
for line in "" "s.db" "s.db s.db s.db" "s.db s.db --top many" "s.db s.db --top -1" "s.db s.db --min -1" "s.db s.db --min x" \
    "none.db s.db" "s.db none.json" "s.db#0 s.db#1" "s.db#x s.db#1" "s.db#99 s.db#1" "before.json#3 before.json#1" \
    "compared.json compared.json --kernels" "no_result.json before.json" "newer.json before.json" "broken.json before.json" \
    "empty before.json" "before.json other.db" ". before.json"; do
  weir diff $line || echo "exit code $?: $line"
done
weir diff before.json after.json > /dev/full
