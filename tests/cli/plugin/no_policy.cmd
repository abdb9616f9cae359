cc -Wall -Wextra -Werror -O1 -shared -fPIC -I ../../../include -o "$TMP/mine.so" -DSYMBOL=my_policy mine.c
weir run gather --plugin "$TMP/mine.so"
cc -Wall -Wextra -Werror -O1 -shared -fPIC -I ../../../include -o "$TMP/hidden.so" -fvisibility=hidden mine.c
weir run gather --plugin "$TMP/hidden.so"
