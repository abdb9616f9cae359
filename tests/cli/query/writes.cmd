# Nothing is written, and nothing is made.
"$SAMPLE_STORE" "$TMP/s.db"
cp "$TMP/s.db" "$TMP/before.db"
cd "$TMP"
for q in "DELETE FROM runs" "UPDATE runs SET seed = 1" "INSERT INTO names VALUES (99, 'x')" "CREATE TABLE t (x)" \
    "CREATE TEMP TABLE t (x)" "DROP VIEW run_results" "ALTER TABLE runs RENAME TO r" "VACUUM INTO 'copy.db'" "VACUUM" "REINDEX" \
    "ANALYZE" "ATTACH 'new.db' AS new" "BEGIN IMMEDIATE" "PRAGMA query_only = OFF" "PRAGMA journal_mode = WAL" \
    "PRAGMA user_version = 9" "WITH x AS (SELECT 1) DELETE FROM runs" "SELECT 1; DELETE FROM runs" \
    "UPDATE sqlite_master SET sql = ''" "EXPLAIN DELETE FROM runs"; do
  weir query s.db "$q" || echo "exit code $?: $q"
done
cmp s.db before.db && ls
