$SAMPLE_STORE $TMP/s.db
cd $TMP
weir plot s.db -o f.svg; echo $?
weir plot s.db --figure speedup; echo $?
weir plot --figure speedup -o f.svg; echo $?
weir plot s.db --figure speedups -o f.svg; echo $?
weir plot s.db --figure picture -o f.svg; echo $?
weir plot s.db --figure speedup -o f.svg; echo $?
weir plot s.db --figure mrc -o f.svg; echo $?
weir plot s.db --figure stalls --only gpu=v100 -o f.svg; echo $?
weir plot s.db --figure storage --only gpu=v100 -o f.svg; echo $?
weir plot s.db --figure heat --only gpu=v100 -o f.svg; echo $?
weir plot s.db --figure heat --only gpu=v100 --only scheme=tsc --x l1.size2 -o f.svg; echo $?
weir plot s.db --figure heat --only gpu=v100 --only scheme=tsc --x l1.size --y l1.size -o f.svg; echo $?
weir plot s.db --figure heat --only gpu=v100 --only scheme=tsc --value l1.hit -o f.svg; echo $?
weir plot s.db --figure speedup --x l1.size -o f.svg; echo $?
weir plot s.db --figure speedup --width 5 -o f.svg; echo $?
weir plot s.db --figure speedup --only gpu=v100 --only scheme=baseline -o f.svg; echo $?
ls
