"$SAMPLE_STORE" "$TMP/s.db"
weir query "$TMP/s.db" --csv "SELECT workload, message, seconds, seed FROM runs WHERE status <> 'ok' ORDER BY 1;
  SELECT 'a, b' AS [x,y], 'say \"no\"' AS [\"], '' AS empty, NULL AS none, 0.1 AS tenth, 1.0 / 3, 9007199254740993 AS large"
