# Programs in a study: each is a workload, by its name or, where that is not enough, by its line.
cd $TMP
SPMV=$OLDPWD/../../../workloads/spmv/spmv.yaml
cat > study.yaml <<EOF
weir-study: 1
programs:
  - [$CLIENT, $SPMV, test]
  - [$CLIENT, $SPMV, test, again]
schemes: [baseline]
set: {l1.size: [16K, 32K]}
EOF
weir sweep study.yaml --store s.db 2>/dev/null
weir query s.db "SELECT replace(workload, '$SPMV', 'SPMV') AS workload, scheme, status, [cycles] > 0 AS ran FROM run_results ORDER BY 1, run"
weir sweep study.yaml --store s.db 2>/dev/null
weir sweep -S baseline --set l1.size=16K,32K --store one.db -- $CLIENT $SPMV test 2>/dev/null
weir query one.db "SELECT workload, count(*) FROM runs GROUP BY 1"
