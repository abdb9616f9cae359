# The other way to tags: kept beside those of classify, used the second time, the same bytes.
# slow: many runs, each of them like one of other cases
run() { weir compare "$1" -S baseline,static,instruction-level -g fermi-s4 -i profile --csv "$TMP/$2.csv" > "$TMP/$2"; }
run gather fresh
ls -i "$WEIR_CACHE" > "$TMP/kept"
run gather again
ls -i "$WEIR_CACHE" | cmp - "$TMP/kept" && cmp "$TMP/fresh" "$TMP/again" && cmp "$TMP/fresh.csv" "$TMP/again.csv" && echo same
ls "$WEIR_CACHE" | sed 's/[0-9a-f]\{32\}/KEY/'
sed -n '/^ *- /p' "$WEIR_CACHE"/traffic-*
sed -n '1,5p; /^=/p' "$TMP/fresh"
# Two launches of one kernel: what all blocks share uses the L1, what one reads once does not.
own=../../study/overlap/overlap.yaml
weir run $own --gpu fermi-s4 --scheme instruction-level --set l1.flush_on_kernel=true --json "$TMP/run.json" --no-provenance | grep -e chosen
grep -e '"ca_loads"' -e '"cg_bypassed"' "$TMP/run.json" | sort -u
grep -A 1 prepared_by "$TMP/run.json"
# The loop rule is for both, the thresholds are not; a trace has no PTX.
weir run -q $own --gpu fermi-s4 --scheme instruction-level --set cls.go_round=false && echo fine
weir run -q $own --gpu fermi-s4 --scheme instruction-level --set cls.high=0.9
weir record -q $own -o "$TMP/o.wtrace"
weir replay "$TMP/o.wtrace" --gpu fermi-s4 --scheme instruction-level
weir run --gpu fermi-s4 --scheme instruction-level -- "$CLIENT" ../../../workloads/vecadd/vecadd.yaml test 2> "$TMP/err"
sed "s|$CLIENT|PROGRAM|" "$TMP/err"
weir help scheme instruction-level | grep prepared
# A program is profiled from what was recorded of it, in a folder that goes again.
weir compare -S baseline,instruction-level -g fermi-s4 -- "$CLIENT" ../../../workloads/vecadd/vecadd.yaml test 2> /dev/null | sed -n '4p; /^=/p' | sed 's/  */ /g'
