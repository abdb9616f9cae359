mkdir -p $TMP/workloads/one $TMP/workloads/two
printf "about: the first\ninputs: {a: {n: 1}, b: {n: 2}}\n" >$TMP/workloads/one/one.yaml
printf "about: another\n" >$TMP/workloads/two/other.yaml
WEIR_DATA=$TMP weir list workloads
