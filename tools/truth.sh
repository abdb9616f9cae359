#!/bin/sh
# Makes the ground-truth data of tests/truth/data anew.
#
#   tools/truth.sh check          here: every generated kernel through ptxas for sm_90; writes data/refused.txt
#   tools/truth.sh gpu FOLDER     on a machine with an H200 (or another sm_90 GPU), gcc and the CUDA toolkit: runs every
#                                 variant and the simt kernels, leaves raw results in FOLDER
#   tools/truth.sh tex FOLDER     there as well: runs the cases of textures and surfaces, leaves raw results in FOLDER
#   tools/truth.sh meet FOLDER    there as well: runs the cases of exchanges and barriers, leaves raw results in FOLDER
#   tools/truth.sh store FOLDER   here: compresses the raw results into tests/truth/data
#
# Afterwards `meson test -C BUILD --suite truth` replays them, and `truth_replay --coverage docs/reference/ptx-coverage.md`
# writes the coverage page. The run on the GPU takes about 15 seconds.
set -eu
cd "$(dirname "$0")/.."
data=tests/truth/data
cuda=${CUDA_HOME:-/usr/local/cuda}
work=${TMPDIR:-/tmp}/weir-truth.$$
common="combos inputs maker make_alu make_matrix make_mem make_warp valid store"
flags="-std=gnu11 -D_GNU_SOURCE -O1 -ffp-contract=off -Iinclude -Isrc -Itests/truth -I$cuda/include"

build() { # PROGRAM FURTHER-FLAGS...
  program=$1
  shift
  files="src/ptx/isa.c src/ptx/fragment.c src/base/suggest.c"
  for c in $common "$program"; do files="$files tests/truth/$c.c"; done
  # shellcheck disable=SC2086
  ${CC:-gcc} $flags $files -o "$work/$program" -lpthread -lm "$@"
}

# Names of the variants whose kernel ptxas refuses, with its message.
refused_in() {
  "$cuda/bin/ptxas" -arch=sm_90 -O0 "$1" -o /dev/null 2>&1 | awk -v file="$1" '
    BEGIN { while ((getline line < file) > 0) { n++; if (line ~ /^\/\/ /) name = substr(line, 4); at[n] = name } }
    /; (error|fatal) *:/ {
      line = $0; sub(/.*, line /, "", line); sub(/;.*/, "", line)
      message = $0; sub(/.*; (error|fatal) *: */, "", message)
      if (!(at[line + 0] in seen)) { seen[at[line + 0]] = 1; print at[line + 0] "\t" message }
    }'
}

check() {
  build gen
  : > "$work/refused.txt"
  while :; do # messages of a later stage of ptxas appear when those of an earlier one are gone
    rm -rf "$work/ptx"
    mkdir -p "$work/ptx"
    TRUTH_DATA=$work "$work/gen" --ptx "$work/ptx"
    for m in "$work"/ptx/*.ptx; do refused_in "$m"; done > "$work/new.txt"
    [ -s "$work/new.txt" ] || break
    cat "$work/new.txt" >> "$work/refused.txt"
  done
  cp "$work/refused.txt" $data/refused.txt
  echo "$(wc -l < $data/refused.txt) variants refused"
}

gpu() {
  out=$1
  lib="-L$cuda/lib64 -L$cuda/lib64/stubs -L$cuda/lib/stubs"
  # shellcheck disable=SC2086
  build gpu_runner $lib -lcuda
  # shellcheck disable=SC2086
  ${CC:-gcc} $flags tests/truth/simt_gpu.c -o "$work/simt_gpu" $lib -lcuda
  "$work/simt_gpu" workloads > "$out/simt_h200.txt" || echo "simt_gpu: exit status $?"
  cat "$out/simt_h200.txt"
  "$work/gpu_runner" "$work" > "$out/log.txt" || echo "gpu_runner: exit status $?"
  cat "$out/log.txt"
  sed 's|command:.*|command: tools/truth.sh gpu|' "$work/PROVENANCE.txt" > "$out/PROVENANCE.txt"
  command -v nvidia-smi > /dev/null && nvidia-smi --query-gpu=name,driver_version --format=csv >> "$out/PROVENANCE.txt"
  (cd "$work" && tar cf "$out/results.tar" -- *.bin)
}

tex() {
  out=$1
  # shellcheck disable=SC2086
  ${CC:-gcc} $flags tests/truth/tex_gpu.c tests/truth/tex_cases.c -o "$work/tex_gpu" "-L$cuda/lib64" "-L$cuda/lib64/stubs" \
    "-L$cuda/lib/stubs" -lcuda -lm
  {
    echo "date: $(date -u '+%Y-%m-%d %H:%M UTC')"
    echo "GPU: $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader)"
    echo "command: tools/truth.sh tex FOLDER"
    "$work/tex_gpu" "$out/tex.bin" | tail -1
  } > "$out/tex_h200.txt"
  cat "$out/tex_h200.txt"
}

meet() {
  out=$1
  # shellcheck disable=SC2086
  ${CC:-gcc} $flags tests/truth/meet_gpu.c tests/truth/meet_cases.c tests/truth/meet_barriers.c -o "$work/meet_gpu" \
    "-L$cuda/lib64" "-L$cuda/lib64/stubs" "-L$cuda/lib/stubs" -lcuda
  tests/truth/meet_gpu.sh "$work/meet_gpu" "$work"
  {
    echo "date: $(date -u '+%Y-%m-%d %H:%M UTC')"
    echo "GPU: $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader)"
    echo "command: tools/truth.sh meet FOLDER"
    echo "What became of each case: ok, hangs (after 2.5 s), not repeatable (in four runs), or fault with the CUDA error."
    cut -f2- "$work/meet.txt"
  } > "$out/meet_h200.txt"
  cp "$work/meet.bin" "$out"
}

store() {
  from=$1
  if [ -e "$from/meet.bin" ]; then
    zstd -q -f -19 --ultra -22 --long=24 "$from/meet.bin" -o $data/meet.bin.zst
    install -m 644 "$from/meet_h200.txt" $data/
  fi
  if [ -e "$from/tex.bin" ]; then
    zstd -q -f -19 --ultra -22 --long=24 "$from/tex.bin" -o $data/tex.bin.zst
    install -m 644 "$from/tex_h200.txt" $data/
  fi
  [ -e "$from/results.tar" ] || return 0
  tar xf "$from/results.tar" -C "$work"
  for f in "$work"/*.bin; do
    zstd -q -f -19 --ultra -22 --long=24 "$f" -o "$data/$(basename "$f").zst"
  done
  install -m 644 "$from/PROVENANCE.txt" "$from/simt_h200.txt" $data/
  ls -l $data
}

mkdir -p "$work"
trap 'rm -rf "$work"' EXIT
case ${1:-} in
check) check ;;
gpu) gpu "$2" ;;
tex) tex "$2" ;;
meet) meet "$2" ;;
store) store "$2" ;;
*)
  sed -n '2,13s/^# \{0,1\}//p' "$0"
  exit 2
  ;;
esac
