# The numbers are those of weir show.
$SAMPLE_STORE $TMP/s.db
weir show $TMP/s.db --baseline scheme=baseline --where "gpu = 'v100'"
weir plot $TMP/s.db --figure speedup --only gpu=v100 -o -
