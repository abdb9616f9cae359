#!/bin/sh
# Builds the engine's tests with ThreadSanitizer in build-tsan (only what they need) and runs them: its pool of threads,
# equal bytes from any number of them, broadcasts, drawn machines and designs (WEIR_PROPERTY_CASES of them).
set -eu
cd "$(dirname "$0")/.."
dir=${WEIR_TSAN_DIR:-build-tsan}
tests='pool exact property broadcast'
export TSAN_OPTIONS="${TSAN_OPTIONS:-halt_on_error=1:second_deadlock_stack=1}"
export WEIR_PROPERTY_CASES="${WEIR_PROPERTY_CASES:-6}"
export WEIR_TEST_CPU_S="${WEIR_TEST_CPU_S:-2400}"
targets=
names=
for test in $tests; do
  targets="$targets tests/sim/test_sim_$test"
  names="$names sim_$test"
done
# shellcheck disable=SC2086 # lists are meant to be split
{
  WEIR_TARGETS=$targets tools/build.sh "$dir" -Db_sanitize=thread -Db_lundef=false -Doptimization=2 -Ddebug=false \
    -Dc_args=-g1 -Dwerror=false
  exec tools/test.sh "$dir" --no-rebuild $names
}
