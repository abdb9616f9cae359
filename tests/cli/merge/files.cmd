HERE=$PWD
$SAMPLE_STORE $TMP/s.db
cd $TMP
mkdir none only
weir merge none -o all.db
cp s.db only/all.db
weir merge only -o only/all.db
weir merge s.db -o s.db
weir merge nowhere.db -o all.db
echo hello > text.db
weir merge s.db text.db -o all.db
cp s.db new.db
python3 "$HERE/../sql.py" new.db "PRAGMA user_version = 2"
weir merge s.db new.db -o all.db
weir merge s.db -o new.db
weir merge s.db -o nowhere/all.db
ls
