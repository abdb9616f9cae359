#!/bin/sh
# What `weir advise` writes is taken by ptxas, and the patch by patch and nvcc. Arguments: weir, the source folder.
# Exit code 77, which Meson reads as "skipped", if there is no ptxas or no nvcc.
set -eu
weir=$(realpath "$1")
source=$2
PATH=$PATH:/usr/local/cuda/bin
command -v ptxas >/dev/null && command -v nvcc >/dev/null && command -v patch >/dev/null || exit 77
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cp "$source"/workloads/*.h "$tmp"
for workload in spmv transpose rodinia-mummergpu lonestar-sssp; do
  cp -r "$source/workloads/$workload" "$tmp"
  cd "$tmp/$workload"
  input="test"
  ! grep -q '^builds:' "$workload.yaml" || input=test@nvcc
  "$weir" advise "$workload.yaml" --input $input --gpu fermi-s4 --quiet -o advised.ptx --patch advised.patch
  grep -q 'ld\.global\(\.nc\)\?\.\(cg\|L1::\)' advised.ptx
  ptxas -arch=sm_90 advised.ptx -o advised.cubin
  patch --quiet -p1 <advised.patch
  grep -q 'weir' "$workload.cu"
  nvcc -arch=sm_90 -ptx -o patched.ptx "$workload.cu"
  echo "$workload: ptxas and nvcc take it; $(grep -c 'ld\.global.*\(cg\|L1::\)' patched.ptx) loads of the patched source have hints"
done
grep -q 'ld\.global.*\(cg\|L1::\)' "$tmp/spmv/patched.ptx" # written, not only noted
grep -q 'L1::no_allocate' "$tmp/spmv/patched.ptx"
