#!/bin/bash
# The same results, byte for byte, from gcc and clang, -O0 and -O3, and every vector width of this host.
# Builds in build-matrix-*, warnings being errors.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${JOBS:-$(nproc)}

# What is compared: everything this prints. $1 is the program, the rest are options of `weir run`.
results() {
  local weir=$1 name
  shift
  "$weir" list workloads --names | while read -r name; do
    echo "== $name"
    if grep -q profile "$(workload_file "$name")"; then
      "$weir" run "$name" --input profile --json - "$@" || echo "exit $?"
    else
      "$weir" run "$name" --json - "$@" || echo "exit $?"
    fi
  done
}

workload_file() {
  case $1 in
  */*) echo "workloads/$1.yaml" ;;
  *) echo "workloads/$1/$1.yaml" ;;
  esac
}

dir_of() {
  echo "build-matrix-$1-O$2"
}

for cc in gcc clang; do
  for opt in 0 3; do
    dir=$(dir_of "$cc" "$opt")
    [ -f "$dir/build.ninja" ] ||
      CC=$cc meson setup "$dir" -Doptimization="$opt" -Dwerror=true -Dtests=false >/dev/null
    ninja -C "$dir" -j "$jobs" --quiet weir
    results "$dir/weir" >"$dir/results.txt"
    echo "$cc -O$opt: $(grep -c '^== ' "$dir/results.txt") workloads, $(wc -c <"$dir/results.txt") bytes"
  done
done

reference=$(dir_of gcc 3)
status=0
for cc in gcc clang; do
  for opt in 0 3; do
    dir=$(dir_of "$cc" "$opt")
    cmp "$reference/results.txt" "$dir/results.txt" || status=1
  done
done

# Every vector width of this host, by its name in `exec.simd`.
widths=$("$reference/weir" explain exec.simd | sed -n 's/^  accepted  *//p' | tr -d ',')
for width in $widths; do
  if results "$reference/weir" --set "exec.simd=$width" >"$reference/results-$width.txt" 2>&1; then
    cmp "$reference/results.txt" "$reference/results-$width.txt" || status=1
    echo "exec.simd=$width compared"
  fi
done
exit "$status"
