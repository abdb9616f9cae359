weir record -o "$TMP/v.wtrace" vecadd --input profile --quiet
weir replay "$TMP/v.wtrace" --gpu fermi-s3 --tags vecadd.yaml --quiet
weir replay "$TMP/v.wtrace" --gpu fermi-s3 --tags wrong.yaml
