# A plug-in that crashes is named, and weir ends as it would have: by the signal, without results or temporary files.
ulimit -c 0
ends() { python3 -c 'import subprocess, sys; print("code", subprocess.call(sys.argv[1:]), end=", ")' "$@"; }
try() {
  cc -Wall -Wextra -Wno-unused-function -Werror -O1 -shared -fPIC -I ../../../include -o "$TMP/mine.so" "$@" mine.c
  ends weir run gather --input test --plugin "$TMP/mine.so" --json "$TMP/out.json" --threads 2 $OPTIONS
  echo "$(find "$TMP" -name out.json | wc -l) results, $(find "$TMP" -name '.weir-*' | wc -l) temporary files"
}
try -DCRASH_DECIDING='*(volatile int *)8 = 1'
try -DCRASH_DECIDING='__builtin_trap()'
try -DCRASH_OBSERVING='*(volatile int *)8 = 1'
try -DCRASH_OBSERVING='__builtin_abort()'
try -DCRASH_OBSERVING='volatile int zero = 0; zero = 7 / zero'
OPTIONS=--check try -DVERIFY='(const char *)8'
echo "the stack"
try -DCRASH_OBSERVING='for (;;) *(volatile char *)__builtin_alloca(4096) = 1'
echo "before there is an L1, or while it is made"
try -D'REFUSE(err, why)=((void)err, *(volatile int *)8 = 1, WEIR_OK)'
try -DSIZE='(size_t)*(volatile int *)8'
try -DSTORAGE='(uint64_t)*(volatile int *)8'
try -DTAGS='*(volatile bool *)8'
