#!/bin/sh
# Recomputes the results of the built-in workloads on the CPU and compares them with the launch files.
#
#   check_expected.sh [--bench] [--print] [WORKLOAD ...]
#
# For every folder with a reference.c and every input of its launch files (bench only with --bench) the reference's
# expect lines must be in the launch file, and the launch file must have no other checksum for that input. Registers and
# static shared bytes must be those that ptxas gave, which head the PTX. --print shows the lines instead of comparing.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
bench=no
print=no
while [ $# -gt 0 ]; do
  case $1 in
    --bench) bench=yes ;;
    --print) print=yes ;;
    -*) echo "check_expected.sh: unknown option $1" >&2 && exit 2 ;;
    *) break ;;
  esac
  shift
done
if [ $# -eq 0 ]; then
  for reference in "$root"/workloads/*/reference.c; do
    set -- "$@" "$(basename "$(dirname "$reference")")"
  done
fi

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failures=0
checks=0

fail() {
  echo "check_expected.sh: $*" >&2
  failures=$((failures + 1))
}

# Lines "INPUT NAME=VALUE ..." of a launch file's inputs.
inputs_of() {
  sed -n '/^inputs:/,/^[a-z]*:/{s/^  \([a-z_]*\): *{\(.*\)}.*/\1, \2/p;}' "$1" | sed 's/: */=/g; s/,//g'
}

check_input() { # YAML INPUT NAME=VALUE...
  file=$1
  shift
  "$tmp/reference" "$(basename "$file" .yaml)" "$@" >"$tmp/lines"
  if [ $print = yes ]; then
    cat "$tmp/lines"
    return
  fi
  grep "input: $1, checksum:" "$file" | sort >"$tmp/have" || true
  sort "$tmp/lines" >"$tmp/want"
  checks=$((checks + 1))
  diff "$tmp/have" "$tmp/want" >"$tmp/diff" ||
    fail "$file: input $1 differs (< launch file, > reference):
$(cat "$tmp/diff")"
  grep -q "^  - {buffer: [a-z0-9_]*, \(input: $1, checksum\|formula\|values\):" "$file" ||
    fail "$file: nothing is expected of input $1"
}

# "KERNEL registers N" of each line "BUILD: {modules: [PTX], registers: {KERNEL: N, ...}}" against that PTX's head.
check_builds() { # YAML
  # a build may take several lines
  tr '\n' ' ' <"$1" | sed 's/}}/}}\n/g' |
    sed -n 's/.* [a-z]*: {modules: \[\([^],]*\)\], *registers: {\([^}]*\)}}.*/\1 \2/p' >"$tmp/builds"
  [ -s "$tmp/builds" ] || fail "$1: a build is not written as 'NAME: {modules: [FILE.ptx], registers: {KERNEL: N, ...}}'"
  while read -r ptx registers; do
    checks=$((checks + 1))
    echo "$registers" | tr ',' '\n' | sed 's/^ *\([A-Za-z0-9_]*\): *\([0-9]*\).*/\1 registers \2/' | sort >"$tmp/have"
    sed -n 's|^// ptxas sm_[0-9]*: \(.*\) static_shared.*|\1|p' "$(dirname "$1")/$ptx" | sort >"$tmp/want"
    diff "$tmp/have" "$tmp/want" >"$tmp/diff" ||
      fail "$1: ptxas says otherwise of $ptx (< launch file, > ptxas):
$(cat "$tmp/diff")"
  done <"$tmp/builds"
}

# Every kernel with the registers and shared bytes beside it, from the launch file and from the PTX's head.
check_ptxas() { # YAML PTX...
  file=$1
  shift
  if grep -q '^builds:' "$file"; then
    check_builds "$file"
    return
  fi
  # A launch that does not give both stays as it is and is unknown below.
  tr '\n{}' '   ' <"$file" | sed 's/kernel:/\nkernel:/g' |
    sed -n '/^kernel:/{s/^kernel: *\([A-Za-z0-9_]*\).*registers: *\([0-9]*\).*static_shared: *\([0-9]*\).*/\1 registers \2 static_shared \3/;p;}' |
    sort -u >"$tmp/have"
  sed -n 's|^// ptxas sm_[0-9]*: ||p' "$@" | sort -u >"$tmp/want"
  checks=$((checks + 1))
  [ -s "$tmp/have" ] || fail "$file: no launch"
  unknown=$(comm -23 "$tmp/have" "$tmp/want")
  [ -z "$unknown" ] || fail "$file: ptxas says otherwise: $unknown"
}

for workload; do
  dir=$root/workloads/$workload
  ${CC:-cc} -std=gnu11 -O2 -Wall -Wextra -ffp-contract=off -o "$tmp/reference" "$dir/reference.c" \
    -lxxhash -lm
  for file in "$dir"/*.yaml; do
    inputs_of "$file" >"$tmp/inputs"
    [ -s "$tmp/inputs" ] || fail "$file: no inputs"
    while read -r line; do
      case $line in
        bench*) [ $bench = yes ] || continue ;;
      esac
      # shellcheck disable=SC2086 # the words are the arguments
      check_input "$file" $line
    done <"$tmp/inputs"
  done
done

if [ $print = no ]; then
  for file in "$root"/workloads/*/*.yaml; do
    check_ptxas "$file" "$(dirname "$file")"/*.ptx
  done
  echo "$checks checks, $failures failures"
fi
[ $failures -eq 0 ]
