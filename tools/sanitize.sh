#!/bin/sh
# Builds weir with AddressSanitizer and UBSan in build-asan (only what changed) and runs the tests there.
#   tools/sanitize.sh [meson test options; default: every suite]
# -O1: half of the time is building, and the tests take a tenth longer than with -O2. -g1: lines, for what is reported.
# Warnings are no errors here: with a sanitizer's checks among the code, compilers see paths that there are not.
set -eu
cd "$(dirname "$0")/.."
dir=${WEIR_ASAN_DIR:-build-asan}
export ASAN_OPTIONS="${ASAN_OPTIONS:-strict_string_checks=1:detect_stack_use_after_return=1}"
export UBSAN_OPTIONS="${UBSAN_OPTIONS:-halt_on_error=1:print_stacktrace=1}"
export WEIR_SKIP_SLOW=1
export WEIR_PROPERTY_CASES="${WEIR_PROPERTY_CASES:-8}"
export WEIR_TEST_CPU_S="${WEIR_TEST_CPU_S:-2400}"
tools/build.sh "$dir" -Db_sanitize=address,undefined -Db_lundef=false -Doptimization=1 -Ddebug=false -Dc_args=-g1 \
  -Dwerror=false
exec tools/test.sh "$dir" "$@"
