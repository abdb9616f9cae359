# A store that another process writes to is named, as an input and as the output.
$SAMPLE_STORE $TMP/s.db
cp $TMP/s.db $TMP/t.db
python3 hold.py $TMP/t.db weir merge $TMP/s.db $TMP/t.db -o $TMP/all.db
python3 hold.py $TMP/t.db weir merge $TMP/s.db -o $TMP/t.db
ls $TMP
