#!/bin/sh
# What CI runs: `tools/check.sh` everything, `tools/check.sh lint` without the tests.
# shellcheck disable=SC2317 # functions are called through step
set -eu
cd "$(dirname "$0")/.."
status=0

# step NAME COMMAND...: run it, say how it went, go on
step() {
  name=$1
  shift
  if "$@"; then echo "ok    $name"; else
    echo "FAIL  $name"
    status=1
  fi
}
have() {
  command -v "$1" >/dev/null 2>&1 || {
    echo "skip  $1 is not installed (tools/bootstrap.sh all)"
    return 1
  }
}
tracked() {
  git ls-files -z -- "$@"
}
no_marks() {
  ! git grep -nE '\b(TODO|FIXME|XXX)\b' -- src include tests tools ':!tools/check.sh'
}
no_trailing_blanks() {
  ! git grep -nIE '[ 	]+$' -- '*.[ch]' '*.py' '*.sh' '*.md' '*.yaml' '*.build'
}
format() {
  tracked '*.c' '*.h' ':!workloads/*/*.h' | xargs -0 clang-format --dry-run -Werror # those are CUDA's
}
check_tests() {
  for test in tools/test_*.py; do python3 "$test" --quiet || return 1; done
}
# gcc's warnings show in every build, and CI makes them errors in the plain one; this is clang's turn.
clang_warnings() {
  CC=clang tools/build.sh build-clang -Doptimization=0 -Ddebug=false -Dwerror=true
}
cpp_check() {
  cppcheck --quiet --std=c11 --language=c --enable=warning,performance --inline-suppr \
    --suppress=missingInclude --suppress=missingIncludeSystem --error-exitcode=1 -j 2 \
    -Iinclude -Isrc -D__x86_64__ -D__GNUC__=12 src
}
shell_check() {
  git grep -lzE '^#!/bin/(ba)?sh' -- tools bench tests .ci ':!tests/cli/*.stdout' | xargs -0 shellcheck
}
# Inputs under bad/ are misspelt on purpose; bU, nin and trun are what "\bU", "\nin" and "\trun" end with.
spell() {
  tracked '*.md' '*.c' '*.h' '*.py' '*.sh' '*.yaml' ':!tests/*/bad/*' | xargs -0 codespell -L bu,inflight,lits,nd,nin,statics,trun,verfy
}

began=$(date +%s)
have clang-format && step "format" format
step "module order" python3 tools/check_deps.py
step "memory is weir's" python3 tools/check_alloc.py
step "sizes of files and functions" python3 tools/check_size.py
step "names of tests" python3 tools/check_tests.py
step "width of pages" python3 tools/check_width.py
step "links between pages" python3 tools/check_index.py
step "version of the model" python3 tools/check_model.py
step "the suite is on its page" python3 tools/suite.py --check docs/reference/suite.md
step "page of the classes" python3 tools/classes.py page --check
step "tables of the designs" python3 tools/designs.py tables --check
step "page of the validation" python3 tools/validate.py check
step "the checks, their tests" check_tests
step "no marks left" no_marks
step "no blanks at line ends" no_trailing_blanks
if have clang; then
  step "no warnings from clang" clang_warnings
  step "module order of symbols" python3 tools/check_symbols.py build-clang
  have clang-tidy && step "clang-tidy" python3 tools/tidy.py build-clang
fi
have cppcheck && step "cppcheck" cpp_check
have shellcheck && step "shellcheck" shell_check
have codespell && step "spelling" spell
echo "lint took $(($(date +%s) - began)) s"

if [ "${1:-all}" != lint ]; then step "tests" make test-all; fi
exit "$status"
