# What may have been meant.
"$SAMPLE_STORE" "$TMP/s.db"
for q in 'SELECT l1.hits FROM run_results' 'SELECT [l1.hist] FROM run_results' 'SELECT r.[l1.hist] FROM run_results AS r' \
    'SELECT [l1.hits] FROM runs' 'SELECT hits FROM run_results' 'SELECT wworkload FROM runs' 'SELECT [l1.size] FROM run_results' \
    'SELECT "l1.size" FROM run_results' 'SELECT * FROM run_result' 'SELECT geomen(1)' 'SELECT zzzzzzzz FROM runs' \
    'SELECT * FORM runs' 'SELECT geomean()' "SELECT 'é', x FROM runs"; do
  weir query "$TMP/s.db" "$q"
done
