#!/bin/sh
# The sources of the last commit as an archive, the same bytes every time: out/weir-VERSION.tar.xz
#   tools/dist.sh            write it
#   tools/dist.sh --check    and write it again, build it without .git, and run its quick tests
set -eu
cd "$(dirname "$0")/.."
commit=$(git rev-parse --verify HEAD)
version=$(git show "$commit:meson.build" | sed -n "s/^  version: '\(.*\)',\$/\1/p")
name=weir-$version
archive=$PWD/out/$name.tar.xz
# One thread: the bytes depend on how xz divides its work.
pack() {
  git archive --format=tar --prefix="$name/" "$commit" | xz -6 -T1 -c
}
mkdir -p out
pack >"$archive.new"
mv "$archive.new" "$archive"
git diff --quiet HEAD -- || echo "changes that are not committed are not in it"
echo "$archive ($(wc -c <"$archive") bytes, commit $commit)"
[ "${1:-}" = --check ] || exit 0

pack | cmp - "$archive"
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
tar -xf "$archive" -C "$top"
cd "$top/$name"
GIT_CEILING_DIRECTORIES=$top tools/build.sh build
tools/test.sh build --suite base --suite report --suite compat
build/weir --version | grep "$commit-archive"
