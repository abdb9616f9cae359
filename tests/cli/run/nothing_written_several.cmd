weir run expect_met.yaml bounds_null.yaml --json $TMP/x.json; code=$?; ls $TMP; exit $code
