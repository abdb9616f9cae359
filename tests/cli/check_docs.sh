#!/bin/sh
# The committed reference pages are those that the program writes. $1: the program.
set -eu
pages=$(dirname "$0")/../../docs/reference
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
"$1" docs "$fresh"
status=0
for page in "$fresh"/*; do
  diff -u "$pages/${page##*/}" "$page" || status=1
done
[ "$status" -eq 0 ] || echo "The pages are out of date: run 'make docs' and commit."
exit "$status"
