# What makes a run the same: not how a value is written, nor who says a default; other values, names and inputs make another.
cd $TMP
sweep() { weir sweep vecadd -i test -S baseline --store s.db "$@" | head -n 1; }
sweep
sweep --set l1.size=16K
sweep --set l1.size=16384 --set l1.mshr_merge=8
sweep --set jitter.seed=3 --set jitter.memory=4
sweep --set jitter.seed=4 --set jitter.memory=4
sweep --set sched.order=loops
sweep --warm
sweep --set launch.l2=warm
sweep --set launch.l2=kept
printf 'weir: 1\nextends: fermi-s3\nmachine: {}\n' > mine.yaml
sweep -g mine.yaml
sweep --no-contract
weir record -q vecadd -i test -o vecadd.wtrace
weir sweep vecadd.wtrace -S baseline --store s.db | head -n 1
weir query s.db "SELECT workload, gpu, seed, [cycles] FROM run_results ORDER BY 1, 2, 3, run"
weir query s.db "SELECT workload, count(*), sum(identity_text LIKE '%' || char(10) || 'traces %') AS version FROM runs GROUP BY 1 ORDER BY 1"
