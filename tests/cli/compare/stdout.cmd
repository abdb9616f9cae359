weir compare vecadd -S baseline -i profile --csv - --no-provenance | cut -d, -f1-5
weir compare vecadd -S baseline -i profile --json - --no-provenance | grep -e weir_compare -e '"workload"'
weir compare vecadd --csv - --json -
