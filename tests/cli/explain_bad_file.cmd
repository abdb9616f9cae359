printf "exec:\n  quantum: 1\n  quantum: 2\n" >$TMP/u.yaml
weir explain --config $TMP/u.yaml exec.quantum
