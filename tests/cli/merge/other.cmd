# The same run with other results: nothing is merged, and no output is left.
HERE=$PWD
$SAMPLE_STORE $TMP/s.db
$SAMPLE_STORE $TMP/later.db later
cd $TMP
weir merge s.db later.db -o all.db
ls
# Into one that was there: as before.
cp later.db all.db
python3 "$HERE/../sql.py" all.db "DELETE FROM runs WHERE workload <> 'scan'"
weir show all.db -f json > a
weir merge s.db later.db -o all.db
weir show all.db -f json | cmp - a && echo same
