"$SAMPLE_STORE" "$TMP/s.db"
s="$TMP/s.db"
weir query
weir query "$s" 'SELECT 1' 'SELECT 2'
weir query "$s" 'SELECT 1' -f x.sql
weir query "$s" 'SELECT 1' --csv --json
weir query "$s" --csv
weir query "$s" --json --tables
weir query "$s" --tables 'SELECT 1'
weir query "$s" 'SELECT ?1, :name'
weir query "$s" ''
weir query "$s" '/* nothing */ ;'
