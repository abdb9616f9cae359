# Of a store that has characterised workloads: their curves and loads. A source that is not there is said to be so.
cd $TMP
weir characterize -q gather --input test --store s.db
weir report s.db -o a.html && python3 $OLDPWD/model.py a.html
weir characterize -q gather --input test --json l.json
sed -i 's/gather\.cu/elsewhere.cu/' l.json
weir report l.json -o b.html && python3 $OLDPWD/model.py b.html | grep source
mkdir src && cp "$OLDPWD"/../../../workloads/gather/gather.cu src/elsewhere.cu
weir report l.json --source src -o c.html && python3 $OLDPWD/model.py c.html | grep source
sed -i 's/elsewhere\.cu/l.json/' l.json
weir report l.json -o d.html && python3 $OLDPWD/model.py d.html | grep source
