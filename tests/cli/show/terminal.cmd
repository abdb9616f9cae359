# Bold, and no wider than the terminal.
$SAMPLE_STORE $TMP/s.db
python3 terminal.py 50 weir show $TMP/s.db --where "seed = 0 AND gpu = 'fermi-s3'"
