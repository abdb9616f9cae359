HERE=$PWD
$SAMPLE_STORE $TMP/s.db
cd $TMP
weir show nowhere.db
echo hello > text.db
weir show text.db
weir show .
python3 "$HERE/../sql.py" s.db "PRAGMA user_version = 2"
weir show s.db
$SAMPLE_STORE empty.db
python3 "$HERE/../sql.py" empty.db "DELETE FROM runs"
weir show empty.db
