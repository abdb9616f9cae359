weir compare vecadd -S baseline -i profile --csv - | cut -d, -f1-5
weir compare vecadd -S baseline -i profile --json - | grep -e weir_compare -e '"workload"'
weir compare vecadd --csv - --json -
