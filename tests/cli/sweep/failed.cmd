# A run that fails is kept and makes the exit code 1; it is run again if that is asked for.
sql() { python3 "$HERE/../sql.py" "$@"; }; HERE=$PWD
sweep() { weir sweep ../run/trap_always.yaml -S baseline --set l1.size=16K,32K --store $TMP/s.db "$@" 2>&1; echo "exit $?"; }
sweep
sweep
sweep --retry
sweep --only-failed --set l1.ways=4,8
sql $TMP/s.db "SELECT workload, status, count(*) FROM runs GROUP BY 1, 2"
