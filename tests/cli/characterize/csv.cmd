weir characterize vecadd --input test --csv - --no-provenance | cut -d, -f1-30
