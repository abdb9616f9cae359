#!/bin/sh
# Runs test_host with a locale that has decimal commas, where this system can make one (Debian: package locales).
#   tests/cuda/host.sh PROGRAM
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if ! localedef -i de_DE -f ISO-8859-1 "$folder/comma" >/dev/null 2>&1; then
  echo "no locale can be made here (package locales): what a locale does is not tested"
fi
"$1" "$folder"
