$SAMPLE_STORE $TMP/s.db
cd $TMP
for best in min max none; do weir show s.db --best $best --value l1.misses --where "seed = 0 AND gpu = 'fermi-s3'"; done
