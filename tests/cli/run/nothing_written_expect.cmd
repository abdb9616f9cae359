weir run expect_values.yaml --json $TMP/x.json -o x=$TMP/x.bin; code=$?; ls $TMP; exit $code
