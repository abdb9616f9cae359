weir run bounds_past_end.yaml --json $TMP/x.json -o x=$TMP/x.bin; code=$?; ls $TMP; exit $code
