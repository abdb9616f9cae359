#!/bin/sh
# Which commit a tree is at, if that is known: commit.sh SOURCE-FOLDER
set -eu
script=$1/tools/commit.sh
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_CEILING_DIRECTORIES="$top"
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
fail() {
  echo "$*" >&2
  exit 1
}
mkdir "$top/tree"
# An unpacked archive.
if "$script" "$top/tree" 2>/dev/null; then fail 'a commit without a repository'; fi
command -v git >/dev/null || exit 0
git() { command git -C "$top/tree" -c user.name=x -c user.email=x@x "$@"; }
git init -q
echo one >"$top/tree/file"
mkdir "$top/tree/inside"
git add .
git commit -q -m one
head=$(git rev-parse HEAD)
[ "$("$script" "$top/tree")" = "$head" ] || fail 'not the commit'
echo other >"$top/tree/not-tracked"
[ "$("$script" "$top/tree")" = "$head" ] || fail 'a file that is not tracked counts'
echo two >"$top/tree/file"
[ "$("$script" "$top/tree")" = "$head-dirty" ] || fail 'a change does not show'
git add .
[ "$("$script" "$top/tree")" = "$head-dirty" ] || fail 'a change that is staged does not show'
# Another project's repository.
if "$script" "$top/tree/inside" 2>/dev/null; then fail 'the commit of another project'; fi
