# Pairs by what varies, and what only one side has.
"$SAMPLE_STORE" "$TMP/s.db"
"$SAMPLE_STORE" "$TMP/later.db" later
cd "$TMP"
weir diff s.db later.db --top 4
weir diff s.db later.db --kernels --min 15 --top 3
weir diff s.db later.db --min 90 | head -8
