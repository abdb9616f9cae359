# Runs that nothing tells apart but their identity.
HERE=$PWD
$SAMPLE_STORE $TMP/s.db
$SAMPLE_STORE $TMP/later.db later
cd $TMP
python3 "$HERE/../sql.py" later.db "UPDATE runs SET identity = 'xxh128:z' || substr(identity, 9), identity_text = replace(identity_text, 'model 1', 'model 2')"
weir merge later.db -o s.db
weir show s.db
weir show s.db --baseline scheme=baseline --columns scheme,l1.size,seed
