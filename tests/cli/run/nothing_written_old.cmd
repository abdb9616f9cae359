# what was there before stays
echo before >$TMP/x.json
weir run bounds_null.yaml --json $TMP/x.json; code=$?; cat $TMP/x.json; exit $code
