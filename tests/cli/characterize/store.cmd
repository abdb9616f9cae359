# A run of its own, beside one that was only timed; the same again changes nothing.
# slow: many runs, each of them like one of other cases
weir compare vecadd --input test -S baseline -q --store "$TMP/s.db"
weir characterize vecadd --input test -q --store "$TMP/s.db"
weir characterize vecadd --input test -q --store "$TMP/s.db"
weir characterize vecadd --input test -q --classes --store "$TMP/s.db"
weir query "$TMP/s.db" 'SELECT scheme, [characterize.references], [characterize.lone], [characterize.needs_lines.1],
  [characterize.speedup.perfect_l1] IS NULL AS no_classes, cycles FROM run_results ORDER BY scheme, no_classes'
weir show "$TMP/s.db" --value characterize.lines --where "[characterize.speedup.bypass_all] IS NULL"
