# What a worker is told by a plan.
# slow: many command lines
. ./fake.sh
cd $TMP
w() { weir worker vecadd -i test -S baseline "$@"; }
w --set l1.size=16K,32K --prepare
w --set l1.size=16K,32K --prepare --streams streams --shard 1/2 --store shards
weir sweep vecadd -i test -S baseline --set l1.size=16K,32K --store s.db --slurm --quiet
P=s.db.slurm/plan
w --set l1.size=16K,32K --plan $P --shard 1/3 --store shards
w --set l1.size=16K,64K --plan $P --shard 1/2 --store shards
w --set l1.size=16K,32K --plan nowhere --shard 1/2 --store shards
echo "xxh128:1 1" >> $P
w --set l1.size=16K,32K --plan $P --shard 1/2 --store shards
sed -i '$d' $P
w --set l1.size=16K,32K --plan $P --streams streams --prepare
w --set l1.size=16K,32K --plan $P --streams streams --prepare
w --set l1.size=16K,32K --plan $P --streams streams --shard 2/2 --store shards
ls shards
