try() {
  cc -Wall -Wextra -Werror -O1 -shared -fPIC -I ../../../include -o "$TMP/mine.so" "$@" mine.c
  weir run gather --input profile --plugin "$TMP/mine.so" --json "$TMP/out.json" --threads 2
  echo "exit $?, $(find "$TMP" -name out.json | wc -l) results"
}
try -DCRASH_DECIDING='*(volatile int *)8 = 1'
try -DCRASH_DECIDING='__builtin_trap()'
try -DCRASH_OBSERVING='*(volatile int *)8 = 1'
try -DCRASH_OBSERVING='__builtin_abort()'
try -DCRASH_OBSERVING='volatile int zero = 0; zero = 7 / zero'
try -D'REFUSE(err, why)=((void)err, *(volatile int *)8 = 1, WEIR_OK)'
try -DSIZE='(size_t)*(volatile int *)8'
