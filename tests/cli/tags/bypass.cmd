# Loads of a source line bypass the L1, those of others do not; the scheme is static.
weir run spmv --input profile --gpu fermi-s4 --bypass spmv.cu:12 --per-load --check | grep -e 'spmv.cu' -e 'scheme'
weir run vecadd --input profile --gpu fermi-s4 --bypass src/vecadd.cu:4 --per-load --json $TMP/v.json | grep -c ' 100.0 '
weir run --like $TMP/v.json --quiet --json - | python3 -c "import json,sys; print(json.load(sys.stdin)['provenance']['arguments'])"
# The same in a file, and from a trace.
weir record -o $TMP/s.wtrace spmv --input profile --quiet
printf 'weir-tags: 1\nbypass: [spmv.cu:12]\n' > $TMP/any.yaml
printf 'weir-tags: 1\nkernels:\n- {name: spmv, loads: [{line: spmv.cu:12, tag: cg}, {line: spmv.cu:10, tag: ca}]}\n' > $TMP/lines.yaml
for how in "--bypass spmv.cu:12" "--scheme static --tags $TMP/any.yaml" "--scheme static --tags $TMP/lines.yaml"; do
  weir replay $TMP/s.wtrace --gpu fermi-s4 $how --json - --no-provenance | python3 -c "import json,sys; t=json.load(sys.stdin)['kernels'][0]['timing']; print(t['cycles'], t['l1']['bypassed'])"
done
weir compare spmv --input profile -g fermi-s4 -S baseline,static --bypass spmv.cu:12 --csv - --no-provenance | cut -d, -f4,5,7
