#!/bin/sh
# Builds a folder, after setting it up with Meson if it is new; says what takes long, and what went wrong.
#   tools/build.sh BUILD [options of meson setup, for a new folder]
# WEIR_TARGETS: what to build (default: everything).
set -eu
dir=$1
shift
began=$(date +%s)
if [ ! -f "$dir/build.ninja" ]; then
  log=$(mktemp)
  if ! meson setup "$dir" "$@" >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    exit 1
  fi
  rm -f "$log"
  echo "building weir in $dir: a minute or two the first time"
fi
# On a terminal Ninja counts in one line; elsewhere that would be hundreds.
quiet=--quiet
[ ! -t 1 ] || quiet=
# shellcheck disable=SC2086 # the list is meant to be split
ninja -C "$dir" $quiet ${WEIR_TARGETS:-}
took=$(($(date +%s) - began))
[ "$took" -lt 10 ] || echo "building $dir took $took s"
