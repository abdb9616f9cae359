# The same results give the same bytes, in whatever order they were stored.
$SAMPLE_STORE $TMP/s.db
$SAMPLE_STORE $TMP/again.db again
cd $TMP
for format in text markdown csv json; do
  weir show s.db -b scheme=baseline -f $format > a
  weir show again.db -b scheme=baseline -f $format | cmp - a && echo $format
done
