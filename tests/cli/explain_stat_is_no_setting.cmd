printf "func:\n  warp_insns: 1\n" >$TMP/u.yaml
weir explain --config $TMP/u.yaml func.warp_insns
