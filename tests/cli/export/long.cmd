# A row for each statistic; a run that did not end has one without.
"$SAMPLE_STORE" "$TMP/s.db"
weir export "$TMP/s.db" --layout long --stats 'cycles,*_rate*' --settings l1.size,sm.count --no-times \
  --where "seed = 1 AND gpu = 'v100' AND setting(run, 'l1.size') = '16K' AND workload <> 'gather'"
weir export "$TMP/s.db" -l long -k -S cycles -s none --no-times --where "workload = 'spmv' AND gpu = 'v100' AND seed = 0 AND scheme = 'tsc'"
