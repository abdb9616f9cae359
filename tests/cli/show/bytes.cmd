# A store has sizes as numbers: people see them as they write them, programs as they are.
HERE=$PWD
$SAMPLE_STORE $TMP/s.db
cd $TMP
python3 "$HERE/../sql.py" s.db "UPDATE settings SET value = CASE value WHEN '16K' THEN '16384' ELSE '1536' END WHERE key = 'l1.size'"
weir show s.db --where "seed = 0 AND gpu = 'fermi-s3'" --baseline l1.size=16K
weir show s.db --rows l1.size,l1.sets --columns scheme --where "seed = 0 AND workload = 'spmv'" --format markdown
weir show s.db --where "seed = 0 AND gpu = 'fermi-s3' AND scheme = 'tsc'" --columns l1.size --format csv
