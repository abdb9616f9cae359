$SAMPLE_STORE $TMP/s.db
weir show $TMP/s.db --baseline scheme=baseline
