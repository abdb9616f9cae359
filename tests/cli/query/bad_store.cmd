cd "$TMP"
echo text > text.csv
: > empty.db
python3 -c 'import sqlite3; sqlite3.connect("other.db").execute("CREATE TABLE t (x)")'
for f in none.db text.csv empty.db other.db .; do
  weir query "$f" 'SELECT 1' || echo "exit code $?"
done
