$SAMPLE_STORE $TMP/s.db
cd $TMP
weir show s.db --format markdown --baseline scheme=baseline
weir show s.db --format csv --baseline scheme=baseline
weir show s.db --format csv --rows gpu,workload --where "seed = 0"
weir show s.db --format json --baseline scheme=baseline,l1.size=16K --where "workload <> 'gather' AND scheme <> 'tsc'"
