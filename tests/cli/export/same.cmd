# The same results in another order, from another host: the same bytes, but for times.
"$SAMPLE_STORE" "$TMP/s.db"
"$SAMPLE_STORE" "$TMP/again.db" again
"$SAMPLE_STORE" "$TMP/later.db" later
cd "$TMP"
for store in s again later; do
  weir export $store.db --csv $store.csv --dump $store.txt --no-times
  for shape in "--layout long" "--kernels" "--kernels --layout long" "--settings all"; do
    weir export $store.db --no-times $shape >> $store.more
  done
  weir export $store.db >> $store.times
done
cmp s.csv again.csv && cmp s.more again.more && cmp s.txt again.txt && echo same
cmp -s s.csv later.csv || echo other results
cmp -s s.txt later.txt || echo other results
cmp -s s.times again.times || echo other times
head -4 s.txt
weir export s.db --dump - | cmp - s.txt && echo same dump
