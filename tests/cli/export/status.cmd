"$SAMPLE_STORE" "$TMP/s.db"
for status in ok all; do
  weir export "$TMP/s.db" --status $status --stats cycles --no-times | cut -d, -f6 | sort | uniq -c
done
