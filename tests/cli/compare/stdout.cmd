weir compare vecadd -S baseline -i test --csv - --no-provenance | cut -d, -f1-5
weir compare vecadd -S baseline -i test --json - --no-provenance | grep -e weir_compare -e '"workload"'
weir compare vecadd --csv - --json -
