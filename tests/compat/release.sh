#!/bin/sh
# One version everywhere, now and after a release: release.sh SOURCE-FOLDER PROGRAM VERSION
set -eu
source=$1 program=$2 version=$3
fail() {
  echo "$*" >&2
  exit 1
}
"$source/tools/release.py" --check
case $("$program" --version) in
"weir $version ("*) ;;
*) fail "weir --version says $("$program" --version), meson.build $version" ;;
esac

# A release of a copy.
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
mkdir -p "$top/tests/compat"
cp "$source/meson.build" "$source/CITATION.cff" "$source/CHANGELOG.md" "$top"
cp "$source/tests/compat/names.py" "$top/tests/compat"
export WEIR_RELEASE_TOP="$top" WEIR="$program"
"$source/tools/release.py" 97.0.0 2030-01-02
"$source/tools/release.py" 98.7.6 2031-02-03
grep -qx "  version: '98.7.6'," "$top/meson.build" || fail 'meson.build has another version'
[ "$(grep -c 'date-released' "$top/CITATION.cff")" = 1 ] || fail 'CITATION.cff has two dates'
grep -qx 'date-released: 2031-02-03' "$top/CITATION.cff" || fail 'CITATION.cff has another date'
[ "$(grep '^## ' "$top/CHANGELOG.md" | head -n 3 | tr '\n' ';')" = \
  '## [Unreleased];## [98.7.6] - 2031-02-03;## [97.0.0] - 2030-01-02;' ] || fail 'CHANGELOG.md has other sections'
grep -qx 'command run' "$top/tests/compat/names.txt" || fail 'names are not promised'
if "$source/tools/release.py" 98.7.6 2>/dev/null; then fail 'a version is released twice'; fi
if "$source/tools/release.py" 1.0 2>/dev/null; then fail '1.0 is taken for a version'; fi

# What does not agree is found.
wrong() { # FILE, and what sed is to do with it
  cp "$top/$1" "$top/kept"
  sed -i "$2" "$top/$1"
  if "$source/tools/release.py" --check 2>/dev/null; then fail "not found: $1 $2"; fi
  cp "$top/kept" "$top/$1"
}
wrong meson.build "s/98.7.6/98.7.5/"
wrong CITATION.cff "s/^version: .*/version: 98.7.5/"
wrong CITATION.cff "s/^date-released: .*/date-released: 2031-02-04/"
wrong CHANGELOG.md "s/^## .98.7.6. .*/## [98.7.7] - 2031-02-03/"
"$source/tools/release.py" --check
