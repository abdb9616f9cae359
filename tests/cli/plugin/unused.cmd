cc -Wall -Wextra -Werror -O1 -shared -fPIC -I ../../../include -o "$TMP/mine.so" mine.c
weir run gather --plugin "$TMP/mine.so" --policies srrip
