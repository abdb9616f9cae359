$SAMPLE_STORE $TMP/s.db
weir plot $TMP/s.db --figure composition --only gpu=v100 --only l1.size=16K --only workload=spmv,gather --title '' --width 400 --height 300 -o -
