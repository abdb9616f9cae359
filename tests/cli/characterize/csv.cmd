weir characterize vecadd --input test --csv - --no-provenance | cut -d, -f1-30
# slow: many runs, each of them like one of other cases
