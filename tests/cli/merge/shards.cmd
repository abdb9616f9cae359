HERE=$PWD
$SAMPLE_STORE $TMP/s.db
cd $TMP
mkdir shards
for part in 0 1 2; do cp s.db shards/$part.db; python3 "$HERE/../sql.py" shards/$part.db "DELETE FROM runs WHERE id % 3 <> $part"; done
echo "no store" > shards/notes.txt
weir merge shards -o all.db
weir show s.db -f csv > a
weir show all.db -f csv | cmp - a && echo same
# Once more nothing changes; the output may lie in the folder.
weir merge shards/ -o all.db
weir show all.db -f csv | cmp - a && echo same
mv all.db shards/all.db
weir merge shards -o shards/all.db
weir merge --quiet shards s.db -o shards/all.db
ls shards
