weir record -q -o $TMP/v.wtrace vecadd --input test
weir replay $TMP/v.wtrace --gpu fermi-s3 --json $TMP/a.json -q
weir replay $TMP/v.wtrace --gpu fermi-s3 --json $TMP/b.json -q --threads 2
sed s/.wtrace// $TMP/a.json | sha256sum > $TMP/1
sed s/.wtrace// $TMP/b.json | sha256sum > $TMP/2
cmp $TMP/1 $TMP/2 && echo same
