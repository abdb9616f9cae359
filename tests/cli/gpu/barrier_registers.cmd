weir replay barrier_registers.traceg --gpu fermi-s3 --check -q
weir record -q -o $TMP/b.wtrace barrier_registers.traceg
for w in 0 1; do weir trace head $TMP/b.wtrace -w $w; done | grep -o ' barrier [0-9].*'
sed 's/2 R2 R3 0 0/0 0 15/' barrier_registers.traceg > $TMP/fixed.traceg
weir record -q -o $TMP/b.wtrace $TMP/fixed.traceg
weir trace head $TMP/b.wtrace | grep -o ' barrier [0-9].*'
