#!/bin/sh
# Builds weir with AddressSanitizer and UBSan in build-asan (only what changed) and runs the tests there.
#   tools/sanitize.sh [meson test options; default: every suite]
# WEIR_WERROR=true makes warnings errors.
set -eu
cd "$(dirname "$0")/.."
dir=${WEIR_ASAN_DIR:-build-asan}
export ASAN_OPTIONS="${ASAN_OPTIONS:-strict_string_checks=1:detect_stack_use_after_return=1}"
export UBSAN_OPTIONS="${UBSAN_OPTIONS:-halt_on_error=1:print_stacktrace=1}"
export WEIR_TEST_CPU_S="${WEIR_TEST_CPU_S:-2400}"
tools/build.sh "$dir" -Db_sanitize=address,undefined -Db_lundef=false -Doptimization=2 \
  -Dwerror="${WEIR_WERROR:-false}"
exec tools/test.sh "$dir" "$@"
