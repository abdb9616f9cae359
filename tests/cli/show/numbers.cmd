# Settings compare as numbers where both are: 16K is 16384, and less than 128K.
HERE=$PWD
$SAMPLE_STORE $TMP/s.db
cd $TMP
python3 "$HERE/../sql.py" s.db "UPDATE settings SET value = '128K' WHERE value = '32K'"
for where in "[l1.size] < '128K'" "[l1.size] = 16384" "\"l1.size\" > 20000" "[jitter.dispatch] > 5"; do weir show s.db --where "($where) AND seed = 0 AND gpu = 'fermi-s3' AND scheme = 'baseline'"; done
