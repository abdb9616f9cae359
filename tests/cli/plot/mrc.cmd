cd $TMP
weir characterize -q gather --input test --json l.json
weir plot l.json --figure mrc -o -
