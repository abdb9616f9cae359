#!/usr/bin/env bash
# A first look: run the built-in CUDA workloads on the CPU, then look closer at one of them.
set -eu
weir=${1:-build}/weir
say() { printf '\n\033[1m%s\033[0m\n' "$*"; }

say "1. CUDA kernels, executed from their PTX, results checked against CPU references:"
echo "   \$ weir run kernels --input profile"
"$weir" run kernels --input profile --check

say "2. One of them at full size, with the streams that a timing model reads:"
echo "   \$ weir run spmv --streams"
"$weir" run spmv --streams

say "3. Time on a machine, with what the schedulers' slots were lost to:"
echo "   \$ weir run spmv gather matmul-tiled --input profile --gpu fermi-s3"
"$weir" run spmv gather matmul-tiled --input profile --gpu fermi-s3 --check

say "4. Which loads should enter the L1? The five designs, two baselines, a coin and the bounds, side by side:"
schemes=baseline,bypass-all,random-bypass,decoupled,two-level,pc-bypass,tsc+,coordinated,opt,opt-chunk
echo "   \$ weir compare gather spmv transpose vecadd --input profile --schemes $schemes"
"$weir" compare gather spmv transpose vecadd --input profile --schemes "$schemes" --check

say "5. What one of them is made of, and what it costs:"
echo "   \$ weir help scheme decoupled"
"$weir" help scheme decoupled

say "6. Which loads of a kernel to mark .ca or .cg (-o FILE writes the PTX):"
echo "   \$ weir classify spmv-vector"
"$weir" classify spmv-vector

say "7. What the kernel looks like to weir:"
echo "   \$ weir lint workloads/spmv/spmv.ptx"
"$weir" lint "$(dirname "$0")/../workloads/spmv/spmv.ptx"

say "8. Every setting can explain itself:"
echo "   \$ weir explain exec.wave"
"$weir" explain exec.wave

say "Next: 'weir --help', 'weir help compare', 'weir list workloads', docs/launch-file.md to run your own PTX."
