# shellcheck shell=bash
# sbatch, squeue and scancel for cases: what they are asked is in $TMP/asked, jobs are numbered from 1 on, and run, one after the
# other, when the case says 'run_jobs'. $TMP/busy: what squeue says. $TMP/refuse: sbatch refuses jobs of this name.
mkdir -p "$TMP/fake"
cat > "$TMP/fake/sbatch" <<'FAKE'
#!/bin/sh
[ "$1" != --version ] || exit 0
for word; do
  case $word in --job-name=*) name=${word#--job-name=} ;; --array=*) array=${word#--array=1-} ;; esac
  script=$word
done
if [ -e "$TMP/refuse" ] && [ "$name" = "$(cat "$TMP/refuse")" ]; then
  echo "sbatch: error: Batch job submission failed: Invalid account or account/partition combination specified" >&2
  exit 1
fi
n=$(($(cat "$TMP/last" 2>/dev/null || echo 0) + 1))
echo $n > "$TMP/last"
echo "sbatch $*" >> "$TMP/asked"
echo "$script ${array%\%*}" >> "$TMP/queue"
echo $n
FAKE
cat > "$TMP/fake/squeue" <<'FAKE'
#!/bin/sh
cat "$TMP/busy" 2>/dev/null || exit 0
FAKE
cat > "$TMP/fake/scancel" <<'FAKE'
#!/bin/sh
echo "scancel $*" >> "$TMP/asked"
rm -f "$TMP/queue"
FAKE
chmod +x "$TMP"/fake/*
PATH=$TMP/fake:$PATH
export TMP
asked() {
  cat "$TMP/asked"
  : > "$TMP/asked"
}
# run_jobs [LEFT-OUT]: but for this task, as if it had been killed before it began
run_jobs() {
  while read -r script n; do
    case $script in
    */tasks.sh) for i in $(seq "$n"); do [ "$i" = "$1" ] || SLURM_ARRAY_TASK_ID=$i "$script" || echo "task $i: exit code $?"; done ;;
    *) "$script" ;;
    esac
  done < "$TMP/queue"
  rm -f "$TMP/queue"
}
