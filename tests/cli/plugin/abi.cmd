cc -Wall -Wextra -Werror -O1 -shared -fPIC -I ../../../include -o "$TMP/mine.so" -DABI=77 mine.c
weir run gather --plugin "$TMP/mine.so"
