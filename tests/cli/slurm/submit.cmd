# Submitted, ended, and submitted again: only what is missing.
# slow: many runs, each of them like one of other cases
. ./fake.sh
cd $TMP
sweep() { weir sweep vecadd reduction -i test -S baseline,tsc+ --set l1.size=16K,32K,20K --store s.db "$@"; }
echo "== all"
sweep --slurm --array 3
asked
grep xxh s.db.slurm/plan | cut -d ' ' -f 2 | sort | uniq -c
echo "== while they wait"
echo "2_[1-3] PENDING 2" > busy
sweep --slurm --array 3
rm busy
echo "== but for one task"
run_jobs 2
ls s.db.slurm/shards s.db.slurm/streams | sed 's/^[0-9a-f]\{32\}/HASH/'
echo "== what is missing"
sweep --slurm --array 3
asked
run_jobs | tail -n 1 # which task has two of them, what the others took decides
echo "== nothing"
sweep --slurm --array 3
asked
cmp <(weir export s.db --dump /dev/stdout) <(sweep -q --store alone.db && weir export alone.db --dump /dev/stdout) && echo the same
echo "== the merged store is lost: it is merged again"
rm s.db
sweep --slurm
asked
run_jobs | tail -n 1
echo "== one more value: by what the others took"
sweep --slurm --array 2 --set l1.ways=4 | sed 's/:.*to run/: some to run/'
