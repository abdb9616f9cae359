# The second time the tags are kept from the first, and the outputs are the same bytes.
# slow: many runs of a whole input, each of them like one of other cases
run() { weir compare vecadd gather -S baseline,static,coordinated -g fermi-s4 -i profile --csv "$TMP/$1.csv" --json "$TMP/$1.json" > "$TMP/$1"; }
run fresh
ls -i "$WEIR_CACHE" > "$TMP/kept"
run kept_ones
ls -i "$WEIR_CACHE" | cmp - "$TMP/kept" && echo kept
for f in '' .csv .json; do cmp "$TMP/fresh$f" "$TMP/kept_ones$f" && echo same; done
sed -n '1,7p; /^=/p' "$TMP/fresh"
grep -v '^#' "$TMP/fresh.csv" | cut -d, -f1-5,11,12
ls "$WEIR_CACHE" | wc -l
