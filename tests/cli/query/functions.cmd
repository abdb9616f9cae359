# Of nothing there is no mean. What is no size is no number.
"$SAMPLE_STORE" "$TMP/s.db"
weir query "$TMP/s.db" --csv "SELECT geomean(column1), median(column1) FROM (VALUES (1), (4), (NULL), (16.0));
  SELECT median(column1) FROM (VALUES (1), ('4'), (16), (100));
  SELECT geomean(column1), median(column1) FROM (VALUES (NULL));
  SELECT geomean(column1) FROM (VALUES (0), (3));
  SELECT bytes('16K'), bytes('1.5M'), bytes('0x10'), bytes('x'), bytes(NULL), bytes(7), bytes(0.5);
  SELECT setting(run, 'l1.size') AS size, setting(run, 'none') AS none, count(*) FROM run_results GROUP BY 1 ORDER BY bytes(size) DESC"
for x in -1 "'many'"; do
  weir query "$TMP/s.db" "SELECT geomean($x)"
  echo "exit code $?"
done
weir query "$TMP/s.db" "SELECT median('many')"
