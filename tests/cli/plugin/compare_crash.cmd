cc -Wall -Wextra -Werror -O1 -shared -fPIC -I ../../../include -o "$TMP/mine.so" -DCRASH_OBSERVING='__builtin_trap()' mine.c
weir compare gather --input profile --plugin "$TMP/mine.so" -S baseline,mine
