#!/bin/sh
# Builds the test programs and keeps them, mostly stripped, and compressed, in bin/: needs nvcc 13, which the
# tests do not. `build.sh` builds all, `build.sh NAME...` some. With CODE=sm_90 and TO=folder the same programs are
# built for a real GPU, uncompressed, to make expected/ from.
set -eu
cd "$(dirname "$0")"
code=${CODE:-}
to=${TO:-bin}
mkdir -p "$to"
work=$(mktemp -d)
lines=/tmp/weir_programs
trap 'rm -rf "$work" "$lines"' EXIT

# What differs from the rule "NAME is built from NAME.cu or NAME.cpp for compute_75".
sources() {
  case $1 in
  compress_*) echo compress.cu ;;
  two_units) echo two_units.cu two_units_second.cu ;;
  rdc) echo rdc.cu rdc_second.cu ;;
  rt_static_rdc) echo rt_static_rdc.cu rt_static_rdc_second.cu ;;
  *) ls "$1".c* ;;
  esac
}
arch() {
  case $1 in
  cp_async | oob_prefetch | shfl_votes_gone | app_philox | app_bf16_attention | app_pipeline_flags) echo 80 ;;
  contract_bf16 | app_barriers) echo 90 ;;
  *) echo 75 ;;
  esac
}
options() {
  case $1 in
  compress_*) echo "--compress-mode=${1#compress_}" ;;
  rdc) echo -rdc=true ;;
  rt_static_rdc) echo -rdc=true --default-stream per-thread -Xcompiler -no-pie,-O0 ;;
  lambda) echo --extended-lambda ;;
  contract_off | app_heat3d | app_dct) echo --fmad=false ;;
  app_fast_raymarch | app_bilateral) echo -use_fast_math ;;
  app_device_tree) echo -Xcompiler -O1 -lineinfo ;;
  oob_stencil) echo -lineinfo ;;
  esac
}
cudart() {
  case $1 in
  driver_mixed) echo shared ;;
  driver_*) echo none ;;
  rt_static_* | app_static_* | rt_driver_linked) echo static ;;
  *) echo shared ;;
  esac
}
# The runtime inside a program is found by the table of symbols.
keeps_symbols() {
  case $1 in
  rt_static_* | app_static_*) true ;;
  *) false ;;
  esac
}
all() {
  for file in *.cu *.cpp; do
    case $file in
    *_second.cu) ;;
    compress.cu) echo compress_none compress_speed compress_balance compress_size ;;
    *) echo "${file%.*}" ;;
    esac
  done
}

build() {
  name=$1
  case $code in
  '') gencode=arch=compute_$(arch "$name"),code=compute_$(arch "$name") ;;
  *) gencode=arch=compute_${code#sm_},code=$code ;;
  esac
  # Line information holds the folder's name: the same wherever the programs are built.
  mkdir -p "$lines"
  cp ./*.h ./*.c* "$lines"
  # shellcheck disable=SC2046 # lists of words
  (cd "$lines" && nvcc -O2 -std=c++17 -cudart "$(cudart "$name")" -cudadevrt none -gencode "$gencode" $(options "$name") $(sources "$name") \
    -Xlinker --as-needed -L"$stubs" -lcuda -o "$work/$name")
  keeps_symbols "$name" || strip "$work/$name"
  if [ -n "$code" ]; then
    cp "$work/$name" "$to/"
  else
    xz -9 -c "$work/$name" >"$to/$name.xz"
  fi
}

stubs=$(dirname "$(readlink -f "$(command -v nvcc)")")/../lib64/stubs
if [ $# -eq 0 ]; then
  # shellcheck disable=SC2046 # names of programs
  set -- $(all)
fi
for name; do
  build "$name"
done
