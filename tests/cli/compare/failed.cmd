weir compare vecadd matmul-tiled ../run/trap_always.yaml -S baseline,tsc+ --set sm.shared_bytes=0 --csv $TMP/o.csv --no-provenance | grep -v ' █' | tr -s ' -'
echo ${PIPESTATUS[0]}
cut -d, -f1-6 $TMP/o.csv
