weir run expect_met.yaml bounds_null.yaml -o x=$TMP/x.bin; code=$?; ls $TMP; exit $code
