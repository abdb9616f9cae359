# Every combination once; what a set-up refuses is kept with the reason, and nothing is run twice, in another sweep neither.
# slow: many runs, each of them like one of other cases
sql() { python3 "$HERE/../sql.py" "$@"; }; HERE=$PWD
cd $TMP
sweep() { weir sweep vecadd -i test -S baseline,tsc+ --set l1.size=16K,32K "$@" --store s.db; }
sweep --set l1.ways=4,6
sweep --set l1.ways=4,6
sweep --set l1.ways=4,8
weir sweep vecadd -i test -S baseline --set l1.size=16K..64K\ x2 --set l1.ways=4 --store s.db
sql s.db "SELECT r.workload, r.input, r.gpu, r.scheme, r.seed, r.status, s.value, w.value FROM runs AS r
  JOIN settings AS s ON s.run = r.id AND s.key = 'l1.size' JOIN settings AS w ON w.run = r.id AND w.key = 'l1.ways'
  ORDER BY 7, 8, 4"
sql s.db "SELECT DISTINCT substr(message, 1, 60) FROM runs WHERE status = 'refused'"
sql s.db "SELECT count(*), count(DISTINCT identity) FROM runs"
