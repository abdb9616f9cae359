# The parameters of a plug-in have conditions too, and these are checked when it is loaded.
build() { cc -Wall -Wextra -Werror -O1 -shared -fPIC -I ../../../include "$@" plugin.c; }
build -o "$TMP/mine.so" && build -o "$TMP/bad.so" '-DWHEN="mod=some"' && build -o "$TMP/worse.so" '-DWHEN="mode=many"'
cd "$TMP"
weir run -q gather --input test --plugin mine.so --set mine.every=3
weir run -q gather --input test --plugin mine.so --set mine.mode=some --set mine.every=3 && echo fine
weir run -q gather --input test --plugin mine.so --set mine.mode=some --set mine.every=3 --set l1.enabled=false
weir explain --plugin mine.so mine.every | grep effect
weir run -q gather --input test --plugin bad.so
weir run -q gather --input test --plugin worse.so
