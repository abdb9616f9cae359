# A condition is that of weir show: settings stand in brackets, and compare as numbers where both sides are.
HERE=$PWD
$SAMPLE_STORE $TMP/s.db
cd $TMP
python3 "$HERE/../sql.py" s.db "UPDATE settings SET value = '128K' WHERE value = '32K'"
only="seed = 0 AND gpu = 'fermi-s3' AND scheme = 'baseline'"
for where in "[l1.size] < '128K'" "[l1.size] = 16384" "\"l1.size\" > 20000" "[jitter.dispatch] > 5 AND workload = 'spmv'" \
    "workload <> 'say \"so\"' AND [l1.size] > '16K'" "bytes(setting(run, 'l1.size')) > 16384"; do
  echo "-- $where"
  weir export s.db --where "$only AND $where" --settings l1.size --stats cycles --no-times
done
# A run without kernels is there if all else is true.
weir export s.db -k --where "[l1.size] = '16K' AND gpu = 'v100' AND seed = 1 AND scheme = 'pc-bypass'" -S cycles --settings none --no-times
weir export s.db -k --where "status <> 'ok' OR (run = 1 AND [l1.hits] > 0 AND kernel_name = 'norm')" -S cycles --settings none --no-times
for where in "l1.size = '16K'" "[l1.sizes] = 1" "cycle > 5" "cycles >" "1); DROP TABLE runs --" "kernel_name = 'norm'" "seed = ?1" \
    "json(scheme)" ""; do
  weir export s.db --where "$where" || echo "exit code $?: $where"
done
weir export s.db --kernels --where "kernel_nam = 'norm'" || echo "exit code $?"
