$SAMPLE_STORE $TMP/s.db
weir show $TMP/s.db --rows workload,kernel --where "gpu = 'v100' AND [l1.size] = '16K'"
weir show $TMP/s.db --rows kernel --columns scheme --where "gpu = 'fermi-s3' AND [l1.size] = '16K' AND workload = 'spmv' AND kernel_name <> 'norm'" --baseline scheme=baseline
# Nothing is left of a run of which all seeds failed.
weir show $TMP/s.db --rows kernel --columns scheme --where "gpu = 'v100' AND [l1.size] = '16K' AND workload = 'spmv' AND seed = 1" --format markdown
weir show $TMP/s.db --rows kernel --columns scheme --where "gpu = 'v100' AND [l1.size] = '16K' AND workload = 'spmv' AND seed = 1" --format json | grep '"reason": "\|"status": "failed\|without'
