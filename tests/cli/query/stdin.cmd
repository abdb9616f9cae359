# From a file and from stdin; comments, and a semicolon at the end, are no statements.
"$SAMPLE_STORE" "$TMP/s.db"
printf -- '-- how many\nSELECT count(*) AS runs FROM runs; /* and */ ;\n' > "$TMP/q.sql"
weir query "$TMP/s.db" -f "$TMP/q.sql"
weir query "$TMP/s.db" - < "$TMP/q.sql"
weir query "$TMP/s.db" --file - --csv < "$TMP/q.sql"
printf 'SELECT 1;\n\n  SELECT 2 FFROM x;\n' | weir query "$TMP/s.db" -
printf 'SELECT 1;\nSELEC 2\n' > "$TMP/q.sql"
weir query "$TMP/s.db" -f "$TMP/q.sql"
printf 'SELECT 1\0' | weir query "$TMP/s.db" -
weir query "$TMP/s.db" -f "$TMP/none.sql"
