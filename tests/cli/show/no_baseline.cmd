HERE=$PWD
$SAMPLE_STORE $TMP/s.db
cd $TMP
python3 "$HERE/../sql.py" s.db "DELETE FROM runs WHERE workload = 'spmv' AND scheme = 'baseline' AND gpu = 'v100'"
weir show s.db --baseline scheme=baseline --where "gpu = 'v100'"
weir show s.db --baseline scheme=baseline --where "gpu = 'v100' AND workload = 'spmv'"
weir show s.db --baseline scheme=baseline --where "gpu = 'v100' AND workload = 'spmv' OR scheme='baseline' AND seed=1"
