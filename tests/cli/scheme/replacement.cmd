# Every replacement runs in every organisation that takes one.
# slow: many runs, each of them like one of other cases
for policy in fifo random srrip brrip drrip ship; do
  for organisation in conventional sectored decoupled; do
    printf 'weir: 1\nabout: a test\norganisation: %s\npolicies: [%s]\n' $organisation $policy >"$TMP/$policy.yaml"
    weir run gather --input test --gpu fermi-s3 --scheme "$TMP/$policy.yaml" --check --json "$TMP/out.json" >/dev/null
    python3 -c "import json,sys; print(sorted(json.load(open(sys.argv[1]))['runs'][0]['launches'][0]['timing']['parts']))" "$TMP/out.json"
  done
done
printf 'weir: 1\nabout: a test\npolicies: [drrip]\n' >"$TMP/drrip.yaml"
weir run gather --input test --gpu fermi-s3 --scheme "$TMP/drrip.yaml" --set drrip.psel_bits=1 --all | grep '^drrip.psel'
weir run gather --input test --gpu fermi-s3 --scheme "$TMP/drrip.yaml" --set drrip.psel_bits=0
