# Two runs that could be the baseline of one without the setting in which they differ.
HERE=$PWD
$SAMPLE_STORE $TMP/s.db
cd $TMP
python3 "$HERE/../sql.py" s.db "DELETE FROM settings WHERE key = 'l1.size' AND run NOT IN (SELECT id FROM runs WHERE scheme = 'tsc')"
python3 "$HERE/../sql.py" s.db "DELETE FROM runs WHERE scheme <> 'tsc' AND id % 4 IN (3, 0)"
weir show s.db --baseline scheme=tsc
weir show s.db --baseline scheme=tsc,l1.size=16K --where "gpu = 'fermi-s3'"
