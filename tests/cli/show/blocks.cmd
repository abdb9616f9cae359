$SAMPLE_STORE $TMP/s.db
weir show $TMP/s.db --width 60 --where "gpu = 'v100'"
weir show $TMP/s.db --width 1 --where "gpu = 'v100' AND [l1.size] = 16384 AND seed = 0"
