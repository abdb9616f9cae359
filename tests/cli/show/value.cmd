$SAMPLE_STORE $TMP/s.db
cd $TMP
weir show s.db --value derived.hit_rate_l1 --where "seed = 0 AND gpu = 'fermi-s3'"
weir show s.db --value derived.ipc --baseline scheme=baseline --where "seed = 0 AND gpu = 'fermi-s3'"
weir show s.db --value l1.misses --baseline l1.size=16K --where "seed = 0 AND gpu = 'fermi-s3'"
weir show s.db --value tag-split.victims --where "seed = 0 AND gpu = 'fermi-s3'"
weir show s.db --value energy.total_nj --where "gpu = 'v100'" --baseline scheme=tsc
