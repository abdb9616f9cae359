$SAMPLE_STORE $TMP/s.db
cd $TMP
weir show s.db --baseline scheme=baseline --relative ratio --where "seed = 0 AND gpu = 'fermi-s3'"
weir show s.db --baseline scheme=baseline --relative percent --where "gpu = 'fermi-s3'"
weir show s.db --baseline scheme=baseline --relative speedup --value derived.ipc --where "seed = 0 AND gpu = 'fermi-s3'"
