for name in lru tag-split sm Mine; do
  cc -Wall -Wextra -Werror -O1 -shared -fPIC -I ../../../include -o "$TMP/$name.so" -DNAME="\"$name\"" mine.c
  weir run gather --plugin "$TMP/$name.so"
done
cc -Wall -Wextra -Werror -O1 -shared -fPIC -I ../../../include -o "$TMP/mine.so" mine.c
weir run gather --plugin "$TMP/mine.so" --plugin "$TMP/mine.so"
