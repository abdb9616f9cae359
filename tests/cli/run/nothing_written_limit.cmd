weir run limit_storing_loop.yaml -m 100 --json $TMP/x.json -o x=$TMP/x.bin; code=$?; ls $TMP; exit $code
