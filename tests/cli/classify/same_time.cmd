# Operators in the PTX are timed as tags beside it.
# slow: many runs of a whole input, each of them like one of other cases
for w in bfs spmv; do
  weir classify $w --input test -q --cm ca -o "$TMP/$w.ptx" --tags "$TMP/tags.yaml"
  cp ../../../workloads/$w/$w.yaml "$TMP"
  weir run "$TMP/$w.yaml" --input test --gpu fermi-s4 | grep fermi-s4 -A 4 > "$TMP/ptx"
  weir run $w --input test --gpu fermi-s4 --scheme static --tags "$TMP/tags.yaml" | grep fermi-s4 -A 4 > "$TMP/tags"
  diff <(sed 1d "$TMP/ptx") <(sed 1d "$TMP/tags") && echo same
done
