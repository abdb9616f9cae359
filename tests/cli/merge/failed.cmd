# A run that ended takes the place of one that failed.
HERE=$PWD
$SAMPLE_STORE $TMP/s.db
cd $TMP
cp s.db ended.db
python3 "$HERE/../sql.py" ended.db "UPDATE runs SET status = 'refused', message = 'no' WHERE status = 'failed'"
weir merge s.db ended.db -o all.db
weir merge ended.db s.db -o other.db
weir show all.db -f json > a
weir show other.db -f json | cmp - a && echo same
