#!/bin/bash
# Runs the papers' figures into one store, and writes docs/reproduction.md from it.
#   tools/reproduce.sh [--kept] WEIR [PAPER...]     default: all of them, the quickest first
# What was run before is in docs/results/reproduction.db.zst, and is not run again. Stopped at any time (Ctrl-C, a signal),
# it keeps what has ended; --kept runs nothing, and writes page and file from what there is.
set -eu
cd "$(dirname "$0")/.."
run=1
if [ "${1:-}" = --kept ]; then
  run=
  shift
fi
weir=$1
shift
[ $# -gt 0 ] || set -- S2 S1 S3 S4 S0
packed=docs/results/reproduction.db.zst
store=out/reproduction.db
mkdir -p out
if [ -f "$packed" ] && [ ! "$store" -nt "$packed" ]; then
  zstd -dqf "$packed" -o "$store"
fi
status=0
if [ -n "$run" ]; then
  trap : INT TERM # they end the runs, and not what follows
  for paper in "$@"; do
    "$weir" reproduce "$paper" --store "$store" || status=$?
    [ "$status" -eq 0 ] || break
  done
  trap - INT TERM
fi
"$weir" reproduce all --kept --store "$store" --markdown docs/reproduction.md --quiet
tools/check_width.py --fix >/dev/null # text of the page, as of all others
tools/classes.py page # which has some of its numbers
zstd -19 -qf "$store" -o "$packed"
echo "docs/reproduction.md, docs/classes.md, $packed"
exit "$status"
