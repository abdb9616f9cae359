weir compare bfs gather -S baseline,static,coordinated -g fermi-s4 -i profile --csv "$TMP/all.csv" --json "$TMP/all.json" | sed -n '1,7p; /^=/p; /profiling/p'
cut -d, -f1-5,11,12 "$TMP/all.csv"
grep -B 1 -A 3 profiling_runs "$TMP/all.json"
weir compare bfs gather -S baseline,static,coordinated -g fermi-s4 -i profile | grep profiling
