#!/bin/sh
# Microbenchmarks of a GPU's memory hierarchy and SMs (README.md beside this says what each measures).
#
#   tools/hw/micro.sh OUTDIR [BENCHMARK ...]   builds tools/hw/micro/*.cu, runs all benchmarks or those named, within
#                                              some six minutes, and writes OUTDIR/micro.tsv and, with the machine
#                                              code, OUTDIR/micro.sass.txt.zst (.gz without zstd); says which loops
#                                              do not have what is counted
#   tools/hw/micro.sh --build DIR              builds the programs into DIR only; needs no GPU
#   tools/hw/micro.sh --list                   the benchmarks
#
# ARCH (default: sm_90) is nvcc's -arch; LIMIT (default: 330), the seconds after which nothing more is begun. A
# benchmark that fails, hangs or is not begun leaves a row that says so, and the others go on.
set -u
here=$(cd "$(dirname "$0")" && pwd)
# program:benchmark, in the order of running: what is short and needed most comes first
plan="sm:clocks l1:l1_size l1:l1_block l1:l1_ways l1:l1_random l1:l1_pattern l1_rate:l1_rate
  tex:tex_rate tex:tex_latency
  l2:sectors_default l2:sectors_32 l2:sectors_64 l2:sectors_128 l2:slices l2:slice_pairs
  l2:l2_sms l2:l2_size l2:l2_spread l2:l2_hot l2:after_write l2:merge_sms flight:merge flight:inflight flight:inflight_small store:stores store:atomics store:atom_latency store:load_store
  arith:arith_latency arith:arith_rate arith:shared_latency arith:shared_rate arith:const_latency
  arith:barrier arith:branch control:loops control:ifs control:start control:constants control:block_end control:small code:fetch sm:scheduler sm:launch sm:dispatch
  chase:chase chase:tlb chase:dram chase:chase_short chase:chase_large"
programs="arith control code chase l2 flight store l1_rate tex l1 sm" # the longest to compile first

build() { # DIR [PROGRAM ...]
  bin=$1
  shift
  # shellcheck disable=SC2016 # $0 and $1 are those of the inner shell
  printf '%s\n' "$@" | xargs -P "$(nproc)" -I{} sh -c \
    'nvcc -O2 -std=c++17 -arch="$2" -o "$1/{}" "$0/micro/{}.cu" >"$1/{}.log" 2>&1 || rm -f "$1/{}"' \
    "$here" "$bin" "${ARCH:-sm_90}"
}

case ${1:-} in
--list)
  for p in $plan; do echo "${p#*:}"; done
  exit 0
  ;;
--build)
  mkdir -p "${2:?where to?}"
  # shellcheck disable=SC2086 # a list
  build "$2" $programs counters
  cat "$2"/*.log
  status=0
  for p in $programs counters; do [ -x "$2/$p" ] || status=1; done
  exit "$status"
  ;;
'' | -*)
  sed -n '2,12s/^# \{0,1\}//p' "$0"
  exit 2
  ;;
esac

out=$1
shift
mkdir -p "$out"
out=$(cd "$out" && pwd)
tsv=$out/micro.tsv
began=$(date +%s)
bin=$(mktemp -d)
sampler=
trap '[ -z "$sampler" ] || kill "$sampler" 2>/dev/null; rm -rf "$bin"' EXIT
elapsed() {
  echo $(($(date +%s) - began))
}
row() { # BENCHMARK PARAMETERS METRIC VALUE
  printf '%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$4" >>"$tsv"
}
wanted() { # BENCHMARK [WANTED ...]
  name=$1
  shift
  [ $# -eq 0 ] && return 0
  for w in "$@"; do [ "$w" != "$name" ] || return 0; done
  return 1
}

{
  echo "# $(date -u '+%Y-%m-%d %H:%M') UTC, tools/hw/micro.sh OUTDIR $*"
  what=name,driver_version,vbios_version,clocks.max.sm,clocks.max.mem,clocks.sm,clocks.mem,power.limit
  nvidia-smi --query-gpu="$what,ecc.mode.current" --format=csv 2>&1 | sed 's/^/# /'
  nvcc --version 2>&1 | sed -n 's/^\(Build\|Cuda compilation\)/# \1/p'
  echo "# nvcc -O2 -std=c++17 -arch=${ARCH:-sm_90}"
  printf 'benchmark\tparameters\tmetric\tvalue\n'
} >"$tsv"

# shellcheck disable=SC2086 # a list
build "$bin" $programs
echo "built in $(elapsed) s"
for p in $programs; do
  [ -x "$bin/$p" ] || row "$p" "step=build" FAILED "$(grep -m1 -i error "$bin/$p.log" | tr '\t' ' ')"
done

nvidia-smi --query-gpu=clocks.sm,clocks.mem,temperature.gpu,power.draw,clocks_event_reasons.active \
  --format=csv,noheader -lms 1000 >"$bin/smi" 2>/dev/null &
sampler=$!

for p in $plan; do
  program=${p%%:*} name=${p#*:}
  wanted "$name" "$@" || continue
  [ -x "$bin/$program" ] || continue
  left=$((${LIMIT:-330} - $(elapsed)))
  if [ "$left" -lt 5 ]; then
    row "$name" "" SKIPPED "no time left"
    continue
  fi
  [ "$left" -lt 60 ] || left=60
  from=$(elapsed)
  timeout -k 5 "$left" "$bin/$program" "$name" >"$bin/rows" 2>"$bin/err"
  rc=$?
  awk -F '\t' 'NF == 4' "$bin/rows" >>"$tsv"
  [ "$rc" -eq 0 ] || row "$name" "limit_s=$left" FAILED "exit status $rc $(head -c 300 "$bin/err" | tr '\n\t' '  ')"
  row "$name" "" took_s "$(($(elapsed) - from))"
  echo "$name: status $rc, $(awk 'END { print NR }' "$bin/rows") rows, $(($(elapsed) - from)) s"
done

kill "$sampler" 2>/dev/null
wait "$sampler" 2>/dev/null
sampler=
# how often each pair of clocks was seen, and the extremes of the rest
awk -F ', ' '
  { gsub(/ [A-Za-z]+/, ""); n["sm_mhz=" $1 " mem_mhz=" $2 " reasons=" $5]++ }
  { if ($3 + 0 > t) t = $3 + 0; if ($4 + 0 > w) w = $4 + 0 }
  END {
    for (k in n) printf "nvidia_smi\t%s\tsamples\t%d\n", k, n[k]
    printf "nvidia_smi\t\tmax_celsius\t%s\nnvidia_smi\t\tmax_watts\t%s\n", t, w
  }' "$bin/smi" >>"$tsv"

# machine code without its bytes: what was measured can be looked up
sass() {
  for p in $programs; do
    [ ! -x "$bin/$p" ] || { echo "==== $p" && cuobjdump -sass "$bin/$p"; }
  done 2>&1 | sed -e 's|/\* 0x[0-9a-f]* \*/||' -e 's/[ \t]*$//' -e '/^$/d'
}
if command -v zstd >/dev/null 2>&1; then
  code=$out/micro.sass.txt.zst
  sass | zstd -q -12 -f -o "$code"
else
  code=$out/micro.sass.txt.gz
  sass | gzip -9 >"$code"
fi
# said here already, since it may be the compiler of this machine alone
python3 "$here/micro_sass.py" "$code" || echo "not every loop has what is counted: micro_read.py leaves those rows out"
echo "$(awk 'END { print NR }' "$tsv") lines in $tsv, $(elapsed) s;" \
  "$(grep -c -e FAILED -e SKIPPED "$tsv") failed or skipped"
