weir run gather --plugin mine.c
weir run gather --plugin nowhere.so
cc -c -I ../../../include -o "$TMP/mine.o" mine.c && weir run gather --plugin "$TMP/mine.o"
