cd $TMP
# slow: many runs, each of them like one of other cases
weir sweep vecadd
weir sweep --store s.db
weir sweep vecadd --set l1.size --store s.db
weir sweep vecadd --set l1.size=16K,,32K --store s.db
weir sweep vecadd --set l1.size=16K..128K --store s.db
weir sweep vecadd --set l1.siez=16K,32K --store s.db
weir sweep vecadd --set l1.size=16K,many --store s.db
weir sweep vecadd --set l1.size=16K,32K --set l1.size=64K,128K --store s.db
weir sweep vecadd --set exec.quantum=1,2 --store s.db
weir sweep vecadd -S baseline --set tag-split.chunk_bytes=32,64 --store s.db
weir sweep vecadd --where l1.size --store s.db
weir sweep vecadd --wait -1 --store s.db
weir sweep vecadd --memory 5 --store s.db
weir worker vecadd --store shards
weir worker vecadd --shard 3/2 --store shards
weir worker vecadd --shard 1 --store shards
weir compare vecadd --retry
ls
