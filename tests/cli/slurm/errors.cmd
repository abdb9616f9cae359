# slow: many command lines
cd $TMP
mkdir bin
ln -s "$(command -v weir)" bin/weir
s() { weir sweep vecadd -i test -S baseline --set l1.size=16K,32K "$@"; }
s --store s.db --array 4
s --store s.db --dry-run
s --slurm --dry-run
s --store s.db --slurm --array 0
s --store s.db --slurm --array 4%0
s --store s.db --slurm --array 4%
s --store s.db --slurm --partition=
s --store s.db --slurm --sbatch-option constraint=avx2
s --store s.db --slurm --sbatch-option --array=1-3
s --store s.db --slurm --sbatch-option -c4
s --store s.db --slurm --sbatch-option --clusters=other
weir sweep --store s.db --slurm -- true
echo text > text.db
s --store text.db --slurm --dry-run
s --store nowhere/s.db --slurm --dry-run > out && tail -n 1 out | cut -c 1-30
PATH=$TMP/bin
s --store s.db --slurm
