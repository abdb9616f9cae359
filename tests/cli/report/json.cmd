# A comparison and a characterised workload, whose source lies beside its launch file.
cd $TMP
weir compare -q gather vecadd --input test -S baseline,random-bypass,tsc,apcm,opt --per-kernel --json c.json
weir characterize -q gather --input test --json l.json
weir report c.json l.json -o page.html && python3 $OLDPWD/model.py page.html
