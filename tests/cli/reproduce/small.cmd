HERE=$PWD
cd $TMP
weir reproduce $HERE/small.yaml --quick --markdown page.md
weir reproduce $HERE/small.yaml fig2 --quick -q --markdown - --store reproduce.db
cmp <(sed -n '/Fig 2/,/Table 3/p' page.md | sed '$d') <(weir reproduce $HERE/small.yaml 'Fig 2' --quick -q --markdown - | sed -n '/Fig 2/,/in all/p' | sed '$d') && echo same
weir reproduce $HERE/small.yaml --quick --shard 1/2 --store shards
weir reproduce $HERE/small.yaml --quick --shard 2/2 --store shards
weir merge shards -o merged.db | tail -1 # which shard has what follows from the version of the model
weir reproduce $HERE/small.yaml fig1 --quick -q --kept --markdown - --store merged.db
python3 -c 'import sqlite3; d = sqlite3.connect("merged.db"); d.execute("delete from runs where scheme = ?", ["opt"]); d.commit()'
weir reproduce $HERE/small.yaml fig1 --quick -q --kept --markdown - --store merged.db | grep P-2 # without a bound
weir reproduce $HERE/small.yaml --list
