# What schemes need to be prepared the first job makes; runs are known by its name, and found without it.
# slow: profiling
. ./fake.sh
cd $TMP
sweep() { weir sweep vecadd -i test -S baseline,profiled-local --store s.db --slurm "$@"; }
sweep --array 2
run_jobs > log
grep -c . s.db.slurm/jobs
ls s.db.slurm/cache | sed 's/-[0-9a-f]\{32\}/-HASH/'
sweep
rm -r s.db.slurm/cache
sweep | head -n 1
weir sweep -q vecadd -i test -S baseline,profiled-local --store alone.db
cmp <(weir export s.db --dump /dev/stdout) <(weir export alone.db --dump /dev/stdout) && echo the same
