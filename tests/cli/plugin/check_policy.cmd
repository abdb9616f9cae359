# What check-policy says of good and bad ones.
# slow: many runs, each of them like one of other cases
ulimit -c 0
try() {
  cc -Wall -Wextra -Werror -O1 -shared -fPIC -I ../../../include -o "$TMP/mine.so" "$@" mine.c
  weir check-policy "$TMP/mine.so"
  echo "exit $?"
}
try
try -DCHEAT
try -DANSWER=-1
try -DCRASH_OBSERVING='__builtin_abort()'
try -include stdlib.h -DCRASH_DECIDING='exit(0)'
weir check-policy
weir help check-policy
