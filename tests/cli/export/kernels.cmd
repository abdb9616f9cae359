# The condition is on kernels. Without one, runs that have no kernels are there, too.
"$SAMPLE_STORE" "$TMP/s.db"
weir export "$TMP/s.db" --kernels --stats 'cycles,l1.*' --no-times --where "workload = 'spmv' AND scheme = 'tsc' AND kernel > 1"
weir export "$TMP/s.db" -k -S cycles --settings none | grep -c .
weir export "$TMP/s.db" -k -S cycles --settings none | grep -e failed -e refused
