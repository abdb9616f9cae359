#!/bin/sh
# Fuzzes every target for SECONDS (default 60) under ASan and UBSan, one after the other.
#   [SECONDS=n] tests/fuzz/run.sh [target ...]     targets: ptx exec yaml launch stream accelsim wtrace tags fatbin inspect wire machine
# New inputs go to build-fuzz/new/TARGET, findings to build-fuzz/found/TARGET-*. Ends with 1 if there were any.
set -eu
cd "$(dirname "$0")/../.."
dir=build-fuzz
# shellcheck disable=SC3028 # comes from the environment
seconds=${SECONDS:-60}
compiler=${FUZZ_CC:-clang}
command -v "$compiler" >/dev/null || {
  echo "fuzzing needs clang; tools/bootstrap.sh all installs it" >&2
  exit 2
}
if [ $# -eq 0 ]; then set -- ptx exec yaml launch stream accelsim wtrace tags fatbin inspect wire machine; fi

[ -f "$dir/build.ninja" ] ||
  CC=$compiler meson setup "$dir" -Db_sanitize=address,undefined -Db_lundef=false -Doptimization=1 \
    -Dc_args='-fsanitize=fuzzer-no-link -fno-sanitize-recover=all -Wno-pass-failed' >/dev/null
programs=
for target in "$@"; do programs="$programs tests/fuzz/fuzz_$target"; done
# shellcheck disable=SC2086 # a list of words
ninja -C "$dir" --quiet $programs

export ASAN_OPTIONS="${ASAN_OPTIONS:-strict_string_checks=1:detect_leaks=1}"
export UBSAN_OPTIONS="${UBSAN_OPTIONS:-print_stacktrace=1}"
tests/fuzz/ptx_dict.sh >"$dir/ptx.dict"
mkdir -p "$dir/found"
findings=0
printf '%-8s %12s %8s %9s  %s\n' target executions seconds "peak MiB" findings
for target in "$@"; do
  new=$dir/new/$target
  log=$dir/$target.log
  mkdir -p "$new"
  case $target in
    ptx | exec) dict=-dict=$dir/ptx.dict ;;
    yaml | launch | tags | machine) dict=-dict=tests/fuzz/yaml.dict ;;
    accelsim) dict=-dict=tests/fuzz/accelsim.dict ;;
    *) dict= ;;
  esac
  result=none
  "$dir/tests/fuzz/fuzz_$target" -max_total_time="$seconds" -print_final_stats=1 -timeout=20 -rss_limit_mb=2048 \
    -max_len=16384 ${dict:+"$dict"} -artifact_prefix="$dir/found/$target-" "$new" "tests/fuzz/corpus/$target" \
    >"$log" 2>&1 || result="see $log"
  [ "$result" = none ] || findings=1
  stat() { sed -n "s/^stat::$1: *//p" "$log"; }
  printf '%-8s %12s %8s %9s  %s\n' "$target" "$(stat number_of_executed_units)" "$seconds" "$(stat peak_rss_mb)" "$result"
done
exit $findings
