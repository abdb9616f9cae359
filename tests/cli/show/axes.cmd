$SAMPLE_STORE $TMP/s.db
cd $TMP
weir show s.db --rows l1.size,scheme --columns workload --where "gpu = 'fermi-s3'"
weir show s.db --columns workload --where "seed = 0 AND gpu = 'fermi-s3'"
weir show s.db --rows scheme,l1.size,workload --columns gpu --where "seed = 0"
weir show s.db --rows workload,scheme --where "seed = 0 AND [l1.size] = '16K' AND gpu = 'v100'"
weir show s.db --rows workload,scheme --columns seed --where "gpu = 'v100' AND [l1.size] < '32K'"
