# A setting of a file is a column if it differs for what is the same otherwise; one of a machine is not.
HERE=$PWD
$SAMPLE_STORE $TMP/s.db
cd $TMP
python3 "$HERE/../sql.py" s.db "UPDATE settings SET origin = 'sweep.yaml:4' WHERE key = 'l1.size'"
weir show s.db --where "seed = 0"
