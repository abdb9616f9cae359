# With several runs a setting must have an effect in one of them; other commands know what they do.
weir compare gather --input test -q -S baseline,decoupled --set decoupled.threshold=3 && echo one of them
weir compare gather --input test -q -S baseline,pc-bypass --set decoupled.threshold=3
weir compare gather --input test -q -S baseline -g fermi-s3,v100 --set l1.carveouts=0,8K && echo one machine
weir compare gather --input test -q -S baseline -g fermi-s3,v100 --set l3.ways=8
weir record -q -o "$TMP/g.wtrace" gather --input test --set exec.quantum=64 && echo recorded
weir record -q -o "$TMP/h.wtrace" gather --input test --set l1.size=32K
weir replay -q "$TMP/g.wtrace" --gpu fermi-s3 --set exec.quantum=64
weir replay -q "$TMP/g.wtrace" --gpu fermi-s3 --set l1.size=32K && echo replayed
weir compare -q "$TMP/g.wtrace" -S baseline --set exec.quantum=64
weir classify -q gather --set cls.high=0.8 --set l1.size=32K && echo classified
weir classify -q gather --set energy.tag_nj=1
weir classify -q gather --set swl.warps=3
# A program is told what the machine is, timed or not.
weir run -q --functional --set sm.count=4 --set l1.size=32K -- "$CLIENT" ../../../workloads/vecadd/vecadd.yaml test && echo told
weir run -q --functional --set l1.hit_latency=4 -- "$CLIENT" ../../../workloads/vecadd/vecadd.yaml test
