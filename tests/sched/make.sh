#!/bin/sh
# Makes the PTX of this folder and of judge/ again, and plain.ptx: kept.ptx without .pragma "nounroll". Needs nvcc.
set -eu
cd "$(dirname "$0")/../.."
tools/make_ptx.sh tests/sched/*.cu tests/sched/judge/*.cu tests/sched/textures/*.cu
{
  echo '// Made by tests/sched/make.sh: kept.ptx without .pragma "nounroll"'
  sed -e '/^\/\//d' -e '/\.pragma "nounroll";/d' tests/sched/kept.ptx
} >tests/sched/plain.ptx
