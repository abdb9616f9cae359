# Relative to one run of each row: the baseline with the small L1.
$SAMPLE_STORE $TMP/s.db
weir show $TMP/s.db --baseline scheme=baseline,l1.size=16384 --where "gpu = 'fermi-s3' AND seed = 0"
