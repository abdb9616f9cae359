weir run expect_met.yaml -o z=$TMP/z.bin; code=$?; ls $TMP; exit $code
