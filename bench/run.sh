#!/bin/sh
# Speed of the simulator: bench/run.sh BUILD [options of bench.c, such as --quick]
set -eu
build=$1
shift
ninja -C "$build" --quiet bench/bench bench/stream_bench bench/timing
"$build/bench/bench" "$@"
echo
echo "Warp streams by themselves:"
"$build/bench/stream_bench"
"$build/bench/timing"
"$build/bench/timing" --gpu v100-cfg
