HERE=$PWD
cd $TMP
weir reproduce
weir reproduce S17
weir reproduce $HERE/small.yaml fig9
weir reproduce $HERE/small.yaml --shard 1/2
weir reproduce $HERE/small.yaml fig1 --quick --store nowhere/x.db
sed 's/gather/gathre/' $HERE/small.yaml > wrong.yaml
weir reproduce wrong.yaml --quick
sed "s/gm('New one')/gm('New two')/" $HERE/small.yaml > wrong.yaml
weir reproduce wrong.yaml fig1 --quick
ls
