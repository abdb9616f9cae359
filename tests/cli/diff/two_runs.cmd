# Two runs of a store, whatever they are.
"$SAMPLE_STORE" "$TMP/s.db"
cd "$TMP"
weir diff s.db#1 s.db#5
weir diff s.db#1 s.db#13 --top 3
weir diff s.db#1 s.db#1 --exit-code && echo equal
weir diff s.db#22 s.db#21 --top 2
