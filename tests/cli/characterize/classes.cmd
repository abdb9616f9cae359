weir characterize gather --input test --classes --jobs 2 -q --json "$TMP/x.json"
# slow: many runs, each of them like one of other cases
python3 -c 'import json, sys; print(json.dumps(json.load(open(sys.argv[1]))["classes"], indent=1))' "$TMP/x.json"
# Lines of 64 bytes are no shorter than these.
weir characterize gather --input test --classes --jobs 1 --set l1.line=64 2>/dev/null | sed -n '/^classes/,/^$/p'
