#!/bin/bash
# The same results, byte for byte, from gcc and clang, -O0 and -O3.
# Builds in build-matrix-*, warnings being errors.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${JOBS:-$(nproc)}

# What is compared: everything this prints. $1 is the program.
results() {
  local weir=$1 name
  "$weir" list workloads --names | while read -r name; do
    echo "== $name"
    "$weir" run "$name" --input profile --json - || echo "exit $?"
  done
}

dir_of() {
  echo "build-matrix-$1-O$2"
}

for cc in gcc clang; do
  for opt in 0 3; do
    dir=$(dir_of "$cc" "$opt")
    [ -f "$dir/build.ninja" ] ||
      CC=$cc meson setup "$dir" -Doptimization="$opt" -Dwerror=true -Dsanitize_test=false >/dev/null
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
exit "$status"
