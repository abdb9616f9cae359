#!/bin/sh
# The commit that a source tree is at, with -dirty if files that are tracked differ from it: commit.sh [FOLDER]
# Fails where that is not known: in an unpacked archive, without git, or inside another project's repository.
set -eu
export GIT_OPTIONAL_LOCKS=0
cd "${1:-$(dirname "$0")/..}"
[ "$(git rev-parse --show-toplevel)" = "$(pwd -P)" ]
commit=$(git rev-parse --verify HEAD)
git diff --quiet HEAD -- 2>/dev/null || commit=$commit-dirty
echo "$commit"
