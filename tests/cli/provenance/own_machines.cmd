# A machine that extends others is repeated after its files are gone, also where it matters which of them said what.
mkdir $TMP/of $TMP/of/more
cd $TMP
again() { # how it is made; then its files are not there
  weir run vecadd --input test -q --json 1.json "$@" || return
  mv of away
  weir run --like 1.json -q --json 2.json && cmp 1.json 2.json && echo same
  mv away of
}
printf 'weir: 1\nextends: v100\nmachine: {l1: {size: 64K}, sm: {count: 4}}\n' > of/big.yaml
again --gpu of/big.yaml
printf 'weir: 1\nextends: fermi-s3\nmachine: {sm: {count: 2}, l1: {ways: 8, index: linear}}\n' > of/more/base.yaml
printf 'weir: 1\nextends: more/base.yaml\nmachine: {l1: {sets: 16}}\n' > of/mine.yaml
again --gpu of/mine.yaml
again --gpu of/mine.yaml --set l1.size=8K
again --gpu of/more/base.yaml --set l1.size=32K
# What others follow from was said, though it is what the machine has.
again --gpu fermi-s3 --set l1.index=linear --set l1.size=16K --set l1.ways=8
again --gpu fermi-s3 --set l1.ways=8
weir compare vecadd --input test -S baseline,srrip -g of/mine.yaml,of/big.yaml -q --csv 1.csv --set l1.size=8K
mv of away
weir compare --like 1.csv -q --csv 2.csv && cmp 1.csv 2.csv && echo same
mv away of
# Files that are named now are read now.
weir run vecadd --input test -q --json 1.json --gpu of/mine.yaml
sed -i 's/sets: 16/sets: 64/' of/mine.yaml
weir run --like 1.json -q --json 2.json && cmp 1.json 2.json && echo same
weir run --like 1.json -q --json 2.json --gpu of/mine.yaml
weir run --like 1.json -q --json 2.json --gpu of/mine.yaml --allow-changed
grep '"l1.sets"' 1.json 2.json
