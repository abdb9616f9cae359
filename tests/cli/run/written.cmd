weir run expect_met.yaml -q --json $TMP/x.json -o x=$TMP/x.bin && ls $TMP && od -A n -t f4 -N 16 $TMP/x.bin
