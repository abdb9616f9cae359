HERE=$PWD
$SAMPLE_STORE $TMP/s.db
cd $TMP
weir show s.db --where "l1.size = '16K'"
weir show s.db --where "[l1.sizes] = 1"
weir show s.db --where "cycle > 5"
weir show s.db --where "cycles >"
weir show s.db --where "1); DROP TABLE runs --"
weir show s.db --where "workload = 'nothing'"
weir show s.db --where "kernel_name = 'norm'"
python3 "$HERE/../sql.py" s.db 'SELECT count(*) FROM runs'
