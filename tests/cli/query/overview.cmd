"$SAMPLE_STORE" "$TMP/s.db"
weir query "$TMP/s.db"
weir query "$TMP/s.db" --tables | cmp - <(weir query "$TMP/s.db") && echo same
