# A policy of a file beside those that come with weir.
# slow: many runs, each of them like one of other cases
cc -Wall -Wextra -Werror -O1 -shared -fPIC -I ../../../include -o "$TMP/mine.so" mine.c
weir compare gather --input test --plugin "$TMP/mine.so" -S baseline,mine,srrip --csv - --no-provenance | cut -d, -f1-5
weir compare gather --input test --plugin "$TMP/mine.so" --csv - --no-provenance | cut -d, -f4 | head -3
weir compare gather --input test --plugin "$TMP/mine.so" -S baseline,tsc
