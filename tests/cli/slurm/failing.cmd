# A run that fails is not run again unless that is said. An empty file of a task that was killed is none.
# slow: many runs, each of them like one of other cases
. ./fake.sh
cd $TMP
cat > bad.yaml <<'YAML'
weir: 1
modules: [bad.ptx]
buffers:
  x: {type: f32, count: 64}
launches:
  - {kernel: bad, grid: [1], block: [64], args: [$x]}
YAML
cat > bad.ptx <<'PTX'
.version 7.0
.target sm_70
.address_size 64
.visible .entry bad(.param .u64 p) {
  .reg .u64 %d<2>;
  mov.u64 %d1, 16;
  st.global.u64 [%d1], %d1;
  ret;
}
PTX
sweep() { weir sweep bad.yaml vecadd -S baseline,tsc+ --store s.db --slurm "$@" 2>&1; }
sweep --array 2
asked > /dev/null
run_jobs 2>&1 | sed 's/(.*)//'
echo "== again"
sweep; echo "exit code $?"
echo "== --only-failed"
sweep --only-failed --array 1 | head -n 1
asked | grep -o -e '--array[^ ]*'
grep -c -e --retry s.db.slurm/tasks.sh
: > s.db.slurm/shards/shard-9-of-9.db
run_jobs > /dev/null 2>&1
weir merge s.db.slurm/shards -o other.db | grep empty
sweep --dry-run | head -n 1
echo "== sbatch refuses the tasks"
echo weir-tasks > refuse
sweep --retry --account nobody --array 2; echo "exit code $?"
asked | cut -d ' ' -f 1-3
