$SAMPLE_STORE $TMP/s.db
cd $TMP
weir report; echo $?
weir report s.db; echo $?
weir report none.db -o p.html; echo $?
echo '{"weir_result": 1}' > run.json
weir report run.json -o p.html; echo $?
echo '{"weir_compare": 9}' > new.json
weir report new.json -o p.html; echo $?
echo hello > text
weir report text -o p.html; echo $?
weir report s.db s.db -o p.html; echo $?
weir report s.db -o p.html --only scheme=tcs; echo $?
weir report s.db -o p.html --only colour=red; echo $?
weir report s.db -o p.html --only scheme; echo $?
weir report s.db -o p.html --baseline scheme=baseline2; echo $?
weir report s.db -o p.html --baseline l1.size; echo $?
weir report s.db -o p.html --stat l1.hit; echo $?
weir report s.db -o p.html --where "gpu = 'none'"; echo $?
weir report s.db -o nowhere/p.html; echo $?
WEIR_CHART_JS=$TMP/none.js weir report s.db -o p.html; echo $?
WEIR_CHART_JS=$TMP/text weir report s.db -o p.html; echo $?
weir report s.db -o s.db; echo $?
ls
