# Scripts and commands, and nothing is made. Words with blanks and quotes are one word to a shell, too.
cd $TMP
weir sweep vecadd reduction -i test -S baseline,tsc+ --set 'l1.size=16K..64K x2' --store s.db --slurm --array 8%2 --partition long \
  --time 4:00:00 --account "it's us" --qos low --sbatch-option --constraint=avx2 --sbatch-option --nice=5 --jobs 4 --memory 8G \
  --retry --dry-run
ls -A
echo "as few tasks as runs, and no first job for a trace:"
weir record -q -o v.wtrace vecadd -i test
weir sweep v.wtrace -S baseline,tsc+ --store "my runs.db" --slurm --dry-run --quiet --wait 60
ls -A
