# A value that has commas stands in brackets; a machine with its other schemes and seeds; each point is one row.
sql() { python3 "$HERE/../sql.py" "$@"; }; HERE=$PWD
cd $TMP
weir sweep vecadd -i test -g v100 -S baseline --set 'l1.carveouts=[0,8K],[0,96K]' --repeat 2 --store s.db
sql s.db "SELECT r.seed, s.value, r.status FROM runs AS r JOIN settings AS s ON s.run = r.id AND s.key = 'l1.carveouts' ORDER BY 2, 1"
