#!/bin/bash
# The same results, byte for byte, from gcc and clang, -O0 and -O3, and every vector width of this host.
#   tools/matrix.sh        MATRIX_DIR=folder for the builds (default: build-matrix-* here), JOBS=n compilations at once
# Compared is what `weir run --json` says of every workload: all statistics of all launches and a checksum of every buffer; the same
# timed on two machines, on 1, 2, 3 and 8 threads; and of three of them with designs whose SMs act on their own or hear one another.
# Warnings are errors. Prints a table; the exit code is 1 if anything differs.
set -euo pipefail
cd "$(dirname "$0")/.."
base=${MATRIX_DIR:-$PWD}
jobs=${JOBS:-$(nproc)}
status=0
reference=
rows=()

build() { # compiler, optimisation, folder
  [ -f "$3/build.ninja" ] ||
    CC=$1 meson setup "$3" -Doptimization="$2" -Dwerror=true -Dtests=false >/dev/null
  ninja -C "$3" -j "$jobs" --quiet weir >"$3/build.log" || { cat "$3/build.log"; exit 1; }
}

# A workload with the input 'profile' where it has one.
run() { # program, name, more arguments
  local program=$1 name=$2
  shift 2
  "$program" run "$name" --input profile --json - "$@" 2>/dev/null || "$program" run "$name" --json - "$@" || echo "exit $?"
}

results() { # program, vector width
  local name
  "$1" list workloads --names | while read -r name; do
    echo "== $name"
    run "$1" "$name" --streams --set "exec.simd=$2"
    timed "$1" "$name" fermi-s3 baseline "$2"
    timed "$1" "$name" v100-cfg baseline "$2"
  done
  for name in spmv bfs histogram; do
    timed "$1" "$name" fermi-s3 decoupled "$2"
    timed "$1" "$name" fermi-s3 ccws "$2"
  done
}

# The statistics must not know how many threads there were.
timed() { # program, name, machine, scheme, vector width
  local threads now one=
  for threads in 1 2 3 8; do
    now=$(run "$1" "$2" --gpu "$3" --scheme "$4" --threads "$threads" --set "exec.simd=$5")
    [ "$threads" = 1 ] && one=$now && echo "$now"
    [ "$now" = "$one" ] || echo "$2, $3, $4: $threads threads differ from one ($(sha256sum <<<"$now"), $1)"
  done
}

widths() { # program: those of the build that this host has
  local width
  for width in base avx2 avx512; do
    if "$1" run simt/dimensions -q --set "exec.simd=$width" 2>/dev/null; then echo "$width"; fi
  done
}

for cc in gcc clang; do
  for opt in 0 3; do
    dir=$base/build-matrix-$cc-O$opt
    build "$cc" "$opt" "$dir"
    for width in $(widths "$dir/weir"); do
      file=$dir/results-$width.txt
      results "$dir/weir" "$width" >"$file"
      : "${reference:=$file}"
      verdict=same
      if grep -q '^exit \|threads differ' "$file"; then
        verdict=FAILS
        status=1
      fi
      if ! cmp -s "$reference" "$file"; then
        verdict=DIFFERS
        status=1
        diff "$reference" "$file" | head -20 || true
      fi
      rows+=("$(printf '%-6s -O%s  %-7s %9d %10d  %s  %s' "$cc" "$opt" "$width" "$(grep -c '^== ' "$file")" \
        "$(wc -c <"$file")" "$(sha256sum <"$file" | cut -c 1-16)" "$verdict")")
    done
  done
done

echo 'build       width   workloads      bytes  sha256'
printf '%s\n' "${rows[@]}"
exit "$status"
