#!/bin/sh
# Makes the PTX of the built-in workloads again from their CUDA sources.
#
#   tools/make_ptx.sh [FILE.cu ...]       all of workloads/*/*.cu when none is named
#
# Needs nvcc and ptxas; set CUDA_HOME when they are not under /usr/local/cuda. Users of weir need neither: the PTX is
# kept in the tree. Each file is headed by the compiler that made it and by what ptxas says of every kernel, which is
# what the launch files give as `registers` and `static_shared`. `// make_ptx: compute_80` in a source asks for another
# target than compute_75.
#
# A source that includes suite.h is compiled twice, without fused multiply-adds that it does not ask for: as for a Fermi
# (NAME.fermi.ptx: loops stay loops, at most 63 registers), and as nvcc does of itself (NAME.ptx).
set -eu

cd "$(dirname "$0")/.."
cuda=${CUDA_HOME:-/usr/local/cuda}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

version=$("$cuda/bin/nvcc" --version | sed -n 's/.*release \([0-9.]*\), V\([0-9.]*\).*/\2/p')

make_one() { # FILE.cu FILE.ptx "OPTIONS OF NVCC" "OPTIONS OF PTXAS"
  cu=$1
  ptx=$2
  target=$(sed -n 's|^// make_ptx: compute_\([0-9]*\)$|\1|p' "$cu")
  target=${target:-75}

  # nvcc runs beside the source so that only bare names can come from us; paths of CUDA's own headers are cut below.
  # shellcheck disable=SC2086 # the options are words
  (cd "$(dirname "$cu")" &&
    "$cuda/bin/nvcc" -ptx -arch="compute_$target" -lineinfo $3 -o "$tmp/raw.ptx" "$(basename "$cu")")
  sed -e 's|^\(\t*\.file\t[0-9]* \)"[^"]*/\([^"/]*\)"\(, [0-9]*\)*$|\1"\2"|' -e '/^\/\//d' \
    "$tmp/raw.ptx" | sed '/./,$!d' >"$tmp/body.ptx"

  # shellcheck disable=SC2086
  "$cuda/bin/ptxas" -v -arch="sm_$target" $4 -o "$tmp/out.cubin" "$tmp/body.ptx" 2>"$tmp/ptxas"
  {
    echo "// Made by tools/make_ptx.sh from $(basename "$cu"): nvcc $version -ptx -arch=compute_$target -lineinfo${3:+ $3}"
    awk -v arch="sm_$target" '
      /Compiling entry function/ { split($0, part, "\047"); kernel = part[2] }
      /Used [0-9]+ registers/ {
        registers = shared = 0
        for (f = 1; f < NF; f++) {
          if ($(f + 1) ~ /^registers/) registers = $f
          if ($f == "bytes" && $(f + 1) ~ /^smem/) shared = $(f - 1)
        }
        printf "// ptxas %s: %s registers %d static_shared %d\n", arch, kernel, registers, shared
      }' "$tmp/ptxas" | sort
    cat "$tmp/body.ptx"
  } >"$ptx"
  sed -n 's|^// ptxas|'"$ptx"'|p' "$ptx"
}

[ $# -gt 0 ] || set -- workloads/*/*.cu
for cu; do
  if grep -q '^#include "../suite.h"' "$cu"; then
    make_one "$cu" "${cu%.cu}.fermi.ptx" "-fmad=false -DWEIR_FERMI" "-maxrregcount=63"
    make_one "$cu" "${cu%.cu}.ptx" "-fmad=false" ""
  else
    make_one "$cu" "${cu%.cu}.ptx" "" ""
  fi
done
