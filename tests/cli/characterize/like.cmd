# An output is repeated.
# slow: many runs, each of them like one of other cases
weir characterize gather --input test --set l1.size=4K --stretch 100 -q --json "$TMP/a.json"
weir characterize --like "$TMP/a.json" -q --json "$TMP/b.json"
cmp "$TMP/a.json" "$TMP/b.json" && echo same
