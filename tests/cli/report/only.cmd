$SAMPLE_STORE $TMP/s.db
weir report $TMP/s.db -o $TMP/page.html --only gpu=v100 --only scheme=tsc,baseline --baseline scheme=baseline,l1.size=16K --where "workload <> 'vecadd'" --stat tag-split.victims && python3 model.py $TMP/page.html
