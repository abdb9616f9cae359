# Numbers keep to the right, texts to the left, and every row is one line.
"$SAMPLE_STORE" "$TMP/s.db"
weir query "$TMP/s.db" "SELECT workload, scheme, count(*) AS runs, round(avg([derived.ipc]), 3) AS ipc, max([cycles]) AS cycles,
  min([derived.hit_rate_l1]) AS hits FROM run_results WHERE gpu = 'fermi-s3' GROUP BY 1, 2 ORDER BY 1, 2"
weir query "$TMP/s.db" "SELECT workload, status, message FROM runs WHERE status <> 'ok' ORDER BY 2;
  SELECT 1.5e-7 AS small, 123456789.25 AS large, 2.0 AS whole, 1e300 AS huge, NULL AS none, x'00ff' AS bytes;
  SELECT workload FROM runs WHERE scheme = 'none'"
