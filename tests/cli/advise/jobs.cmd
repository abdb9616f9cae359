# slow: many runs, each of them like one of other cases
# The same bytes from any number of jobs.
weir advise spmv --input test --gpu fermi-s4 --trials 8 --repeat 2 --json - --no-provenance --jobs 1 > "$TMP/one"
weir advise spmv --input test --gpu fermi-s4 --trials 8 --repeat 2 --json - --no-provenance --jobs 3 > "$TMP/three"
cmp "$TMP/one" "$TMP/three" && echo same
