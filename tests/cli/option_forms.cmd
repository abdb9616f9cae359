printf "{}\n" >$TMP/u.yaml
weir explain -c$TMP/u.yaml --config=$TMP/u.yaml -c $TMP/u.yaml func.warp_insns | head -1
