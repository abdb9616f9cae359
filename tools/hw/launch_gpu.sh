#!/bin/sh
# Runs launch files on a GPU and checks their results.
#
#   tools/hw/launch_gpu.sh build [BUILD]      here: makes BUILD/launch_gpu (default: build), which needs a GPU's driver and the
#                                             C library only; CUDA's headers under CUDA_HOME (default: /usr/local/cuda)
#   tools/hw/launch_gpu.sh run [BUILD] [-- OPTIONS OF launch_gpu] LAUNCHFILE ...
#                                             where the GPU is: the table, headed by date, GPU and driver
#   tools/hw/launch_gpu.sh suite [BUILD]      there as well: every built-in workload with all builds and all inputs but bench,
#                                             three runs each: what tests/truth/data/suite_h200.tsv holds
set -eu
cd "$(dirname "$0")/../.."
what=${1:-}
[ $# -eq 0 ] || shift
build=build
if [ $# -gt 0 ] && [ -d "$1" ]; then
  build=$1
  shift
fi
[ "${1:-}" != -- ] || shift

head_of() { # COMMAND
  echo "# $(date -u '+%Y-%m-%d'), $(nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,clocks.max.mem --format=csv,noheader)"
  echo "# $1"
}

case $what in
build)
  cuda=${CUDA_HOME:-/usr/local/cuda}
  ninja -C "$build" --quiet libweir.a
  ${CC:-cc} -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -Iinclude -Isrc "-I$cuda/include" tools/hw/launch_gpu.c \
    "$build/libweir.a" -o "$build/launch_gpu" "-L$cuda/lib64/stubs" -lcuda \
    -Wl,-Bstatic -lyaml -lzstd -lxxhash -llz4 -llzma -Wl,-Bdynamic -lpthread -lm -ldl
  echo "$build/launch_gpu"
  ;;
run)
  head_of "tools/hw/launch_gpu.sh run $*"
  "$build/launch_gpu" "$@"
  ;;
suite)
  head_of "tools/hw/launch_gpu.sh suite: each workload from its launch file, all builds; times in microseconds, all launches, 3 runs, L2 flushed"
  "$build/launch_gpu" --input eval,profile,test --runs 3 workloads/*/*.yaml
  ;;
*)
  sed -n '2,12s/^# \{0,1\}//p' "$0"
  exit 2
  ;;
esac
