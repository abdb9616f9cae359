$SAMPLE_STORE $TMP/s.db
weir plot $TMP/s.db --figure heat --only gpu=v100 --only scheme=tsc -o -
weir plot $TMP/s.db --figure heat --only gpu=v100 --x scheme --y workload --only l1.size=32K --value l1.misses --title 'Misses & <others>' -o -
