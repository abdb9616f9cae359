weir run estimated.yaml --gpu fermi-s3 | grep -o -e '[0-9]* (sm[^ ]*' -e '^\* .*'
weir run estimated.yaml --gpu fermi-s3 --json - | grep '"registers_'
weir record -q -o $TMP/e.wtrace estimated.yaml
weir replay $TMP/e.wtrace --gpu fermi-s3 | tail -n 1
weir trace kernels $TMP/e.wtrace | cut -c 1-48
