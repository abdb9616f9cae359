weir compare -S baseline,static -q --csv $TMP/o.csv --no-provenance -- $CLIENT ../run/trap_always.yaml '' faulty 2> /dev/null
echo compare: $?
cut -d, -f1-6 $TMP/o.csv
weir record -q -o $TMP/t.wtrace -- $CLIENT ../run/trap_always.yaml "" faulty 2>&1 > /dev/null | grep "in part"
echo record: ${PIPESTATUS[0]}
weir classify -q -- $CLIENT ../run/trap_always.yaml '' faulty > /dev/null 2>&1
echo classify: $?
weir compare -S baseline -q -- $CLIENT ../run/trap_always.yaml '' faulty exit 7 > /dev/null 2>&1
echo its own: $?
