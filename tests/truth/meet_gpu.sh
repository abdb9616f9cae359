#!/bin/sh
# meet_gpu.sh PROGRAM FOLDER: runs meet_gpu with several processes side by side until every case has a result, each
# of them again after a case that hangs; leaves meet.bin and meet.txt (what became of each case) in FOLDER.
set -eu
program=$1
out=$2
workers=12
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
worker() {
  tries=0
  while [ $tries -lt 200 ]; do
    timeout 60 "$program" "$work/part.$1" "$1" $workers >>"$work/log.$1" 2>>"$work/err.$1" && return
    tries=$((tries + 1))
  done
}
for w in $(seq 0 $((workers - 1))); do worker "$w" & done
wait
cat "$work"/part.* >"$out/meet.bin"
sort -n "$work"/log.* >"$out/meet.txt"
cat "$work"/err.* >&2
