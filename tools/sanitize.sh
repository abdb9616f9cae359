#!/bin/sh
# Builds weir with AddressSanitizer and UBSan in build-asan (only what changed) and runs the fast suites.
#   tools/sanitize.sh [meson test options; default: every suite but 'slow']
# WEIR_WERROR=true makes warnings errors.
set -eu
cd "$(dirname "$0")/.."
dir=${WEIR_ASAN_DIR:-build-asan}
export ASAN_OPTIONS="${ASAN_OPTIONS:-strict_string_checks=1:detect_stack_use_after_return=1}"
export UBSAN_OPTIONS="${UBSAN_OPTIONS:-halt_on_error=1:print_stacktrace=1}"
[ -f "$dir/build.ninja" ] ||
  meson setup "$dir" -Db_sanitize=address,undefined -Db_lundef=false -Doptimization=1 -Dwerror="${WEIR_WERROR:-false}" \
    -Dsanitize_test=false
ninja -C "$dir" --quiet
if [ $# -eq 0 ]; then set -- --no-suite slow; fi
exec tools/test.sh "$dir" --timeout-multiplier 4 "$@"
