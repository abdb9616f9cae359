# What 'all' stands for.
# slow: many runs, each of them like one of other cases
weir compare spmv -w all -S baseline -i test --csv - --no-provenance | tail -n +2 | cut -d, -f2 > $TMP/names
head -n 1 $TMP/names
weir list workloads --names | grep -v / | cmp - <(sort $TMP/names) && echo all workloads
one='--best pdp.distance=8 --best swl.warps=4 --best tb-limit.blocks=2 --best random-bypass.p=0.5'
weir compare vecadd -S all $one -i test --csv - --no-provenance | tail -n +2 | cut -d, -f4 > $TMP/names
head -n 1 $TMP/names
weir list schemes --names | cmp - <(sort -u $TMP/names) && echo all schemes
weir compare vecadd --best random-bypass.p=0.5 -i test --csv - --no-provenance | tail -n +2 | cut -d, -f4 | sort -u
weir compare vecadd -S tsc,all $one -i test --csv - --no-provenance | sed -n 2p | cut -d, -f4
