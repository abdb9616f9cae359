# The same results in another order, from another host, are equal.
"$SAMPLE_STORE" "$TMP/s.db"
"$SAMPLE_STORE" "$TMP/again.db" again
"$SAMPLE_STORE" "$TMP/later.db" later
cd "$TMP"
weir diff s.db again.db --exit-code && echo equal
weir diff s.db again.db --kernels --exit-code && echo equal
weir diff s.db later.db --top 1 --exit-code > /dev/null || echo "exit code $?"
weir diff s.db later.db --top 1 > /dev/null && echo "a report, and no failure"
