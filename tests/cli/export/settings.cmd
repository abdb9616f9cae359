# Of equal runs none varies; all has those that some runs do not have.
"$SAMPLE_STORE" "$TMP/s.db"
for list in varying all none 'l1.*' 'l1.ways,core.clock_mhz'; do
  weir export "$TMP/s.db" --settings "$list" --stats cycles --no-times --where "run IN (1, 7)"
done
weir export "$TMP/s.db" --stats cycles --no-times --where "run = 1"
weir export "$TMP/s.db" --stats cycles --no-times --where "run = 0"
