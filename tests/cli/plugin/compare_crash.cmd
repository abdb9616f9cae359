# A crash costs one run, whichever hook it is in; the others go on.
try() { cc -Wall -Wextra -Werror -O1 -shared -fPIC -I ../../../include -o "$TMP/mine.so" "$@" mine.c; }
ulimit -c 0
try -DCRASH_OBSERVING='__builtin_trap()'
weir compare gather --input test --plugin "$TMP/mine.so" -S baseline,mine
echo "exit $?"
for how in -DSIZE='(size_t)*(volatile int *)8' -D'REFUSE(err, why)=((void)err, __builtin_abort(), WEIR_OK)' \
    -DCRASH_OBSERVING='for (;;) *(volatile char *)__builtin_alloca(4096) = 1' -DCRASH_DECIDING='exit(0)'; do
  try "$how" -include stdlib.h
  weir compare gather --input test --plugin "$TMP/mine.so" -S baseline,mine,srrip --csv - --no-provenance 2>"$TMP/log" | cut -d, -f4-6
  echo "exit ${PIPESTATUS[0]}"
done
echo "$(find "$TMP" -name '.weir-*' | wc -l) temporary files"
