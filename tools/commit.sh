#!/bin/sh
# The commit that a source tree is at, with -dirty if files that are tracked differ from it: commit.sh [FOLDER]
# In an unpacked archive: the commit it was made of, with -archive, for nothing there says whether files were changed.
# Fails where that is not known: in a copy of the files alone, without git, or inside another project's repository.
set -eu
export GIT_OPTIONAL_LOCKS=0
cd "${1:-$(dirname "$0")/..}"
if [ "$(git rev-parse --show-toplevel 2>/dev/null)" = "$(pwd -P)" ]; then
  commit=$(git rev-parse --verify HEAD)
  git diff --quiet HEAD -- 2>/dev/null || commit=$commit-dirty
else
  read -r commit <tools/archived_commit # git archive writes it there
  case $commit in
  *Format*) exit 1 ;;
  esac
  commit=$commit-archive
fi
echo "$commit"
