#!/usr/bin/env bash
# A first look: CUDA kernels executed and timed without a GPU, L1 designs side by side, and a page to look at.
set -eu
weir=${1:-build}/weir
out=out/demo
workloads="gather spmv transpose vecadd"
bold='' plain=''
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ] && [ "${TERM:-dumb}" != dumb ]; then bold=$(printf '\033[1m') plain=$(printf '\033[0m'); fi
say() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }
mkdir -p "$out"

say "1. CUDA kernels from their PTX, results checked against CPU references, timed on a Fermi with 16 KB of L1:"
echo "   \$ weir run $workloads --input profile --gpu fermi-s3 --check"
# shellcheck disable=SC2086 # several names
"$weir" run $workloads --input profile --gpu fermi-s3 --check

say "2. Which loads should enter the L1? The five papers' designs, a coin, and the most that any L1 could hit:"
schemes=baseline,bypass-all,random-bypass,decoupled,two-level,pc-bypass,tsc+,coordinated,opt-chunk
echo "   \$ weir compare $workloads --input profile --schemes $schemes --per-kernel --json $out/compared.json"
# shellcheck disable=SC2086
"$weir" compare $workloads --input profile --schemes "$schemes" --per-kernel --json "$out/compared.json"

say "3. Why?"
python3 - "$out/compared.json" <<'PYTHON'
import json
import sys
import textwrap

means = {m["scheme"]: m for m in json.load(open(sys.argv[1]))["means"]}
base, coin = means["baseline"], means["random-bypass"]
best = max((m for s, m in means.items() if s not in ("baseline", "bypass-all", "random-bypass", "opt-chunk")),
           key=lambda m: m["speedup"])
print(textwrap.fill(
    f"{best['scheme']} is the fastest design on these four: {best['speedup']:.2f} times the baseline, where a coin has "
    f"{coin['speedup']:.2f}. {100 * best['hit_rate_stream']:.0f} % of loads hit instead of {100 * base['hit_rate_stream']:.0f} %, "
    f"L1 and L2 exchange {best['l1_flits']:.2f} times as many flits, and the load/store units wait in "
    f"{100 * best['stall_frac']:.0f} % of cycles instead of {100 * base['stall_frac']:.0f} %.", 110))
PYTHON

say "4. And of one kernel, load by load, what to do about it:"
echo "   \$ weir characterize gather --input profile --json $out/gather.json"
"$weir" characterize gather --input profile --json "$out/gather.json" | sed -n '1,/^$/p;/^what to do/,/^$/p'

say "5. All of it as a page, which needs no network:"
echo "   \$ weir report $out/compared.json $out/gather.json -o $out/page.html"
"$weir" report "$out/compared.json" "$out/gather.json" -o "$out/page.html"
echo "open $(pwd)/$out/page.html"

say "Next: 'weir --help', 'weir list workloads', 'weir run -- ./your-cuda-program', docs/README.md."
