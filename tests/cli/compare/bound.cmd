# How much could be gained: the bounds beside designs, and --check, which asserts them.
# slow: many runs, each of them like one of other cases
weir compare gather -i profile -S baseline,decoupled,tsc,opt,opt-chunk --check --csv $TMP/a.csv | sed -n '1,/^scheme/p'
weir compare gather -i profile -S baseline,decoupled,opt | grep 'possible' | head -1
weir list preparations --names
