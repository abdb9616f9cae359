# A run with files of the user's own is repeated after they are gone, and the bytes are the same.
here=$PWD
cp ../tags/vecadd.yaml $TMP/tags.yaml
printf 'weir: 1\nmachine: {sm: {count: 3, scheduler: lrr}, l2: {ways: 16}}\n' >$TMP/mine.yaml
cp ../../../schemes/coordinated.yaml $TMP/scheme.yaml
echo 'l1: {mshr_entries: 7}' > $TMP/config.yaml
cd $TMP
weir run vecadd --input test --gpu mine.yaml --scheme scheme.yaml --tags tags.yaml --config config.yaml --set l2.ways=4 --per-sm -q --json 1.json
rm mine.yaml scheme.yaml tags.yaml config.yaml
weir run --like 1.json -q --json 2.json --threads 2
cmp 1.json 2.json && echo same
sed 's/"commit": .*/"commit": .../; s/"text": .*/"text": .../; s/"hash": .*/"hash": .../' 1.json | sed '/^ },/q'
# What is given now counts, on the command line and in a file.
echo 'l1: {mshr_entries: 9}' > config.yaml
weir run --like 1.json -q --json 3.json --config config.yaml --set l2.ways=8
grep -m 2 -e mshr_entries -e l2.ways 3.json
weir run --like 1.json --gpu fermi-s3 --scheme baseline -q --json - | grep -A 3 -e '"machines"' -e '"schemes"' -e '"files"' | grep -v hash
