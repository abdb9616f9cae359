#!/bin/sh
# ptxas takes PTX with the operators that `weir classify` writes. Arguments: weir, and an architecture for each run.
# Exit code 77, which Meson reads as "skipped", if there is no ptxas.
set -eu
weir=$1
shift
PATH=$PATH:/usr/local/cuda/bin
command -v ptxas >/dev/null || exit 77
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
for workload in spmv bfs gather stencil matmul-naive; do
  "$weir" classify "$workload" --input test --quiet --output "$tmp/$workload.ptx" --cm ca
  grep -q 'ld\.global\.c[ag]' "$tmp/$workload.ptx"
  for arch in "$@"; do
    ptxas -arch="$arch" "$tmp/$workload.ptx" -o "$tmp/$workload.cubin"
    echo "$workload: ptxas -arch=$arch accepts it"
  done
done
