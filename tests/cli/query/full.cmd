"$SAMPLE_STORE" "$TMP/s.db"
weir query "$TMP/s.db" 'SELECT * FROM statistics' --csv > /dev/full
