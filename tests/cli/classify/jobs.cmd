# The same bytes from any number of jobs.
# slow: many runs, each of them like one of other cases
weir classify spmv --input test --json - --jobs 1 > "$TMP/one"
weir classify spmv --input test --json - --jobs 3 > "$TMP/three"
cmp "$TMP/one" "$TMP/three" && echo same
