weir compare
weir compare vecadd --jobs 0
weir compare vecadd --set l1.set=3
weir compare vecadd --set l1.sets=3
weir compare vecadd --csv nowhere/o.csv
weir compare ../gpu/barrier_registers.traceg
weir record -q -o $TMP/v.wtrace vecadd --input test
weir compare $TMP/v.wtrace --input test
weir compare vecadd --repeat 0
weir compare vecadd --repeat often
weir compare vecadd --repeat 101
weir compare vecadd --repeat 3 --set jitter.dispatch=0 --set jitter.memory=0
weir compare vecadd --set jitter.seed=3
