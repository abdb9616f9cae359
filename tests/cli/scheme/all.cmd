# Every scheme that comes with weir runs; one that is the best of several values says so.
# slow: many runs, each of them like one of other cases
for s in $(weir list schemes --names); do
  weir run gather --input test --gpu fermi-s3 --scheme "$s" --tags gather_tags.yaml --check 2>&1 | grep -E "^machine|^weir"
done
weir run gather --input test --gpu fermi-s3 --scheme decoupled --set decoupled.threshold=3 --json - | python3 -c "import json,sys; p=json.load(sys.stdin)['runs'][0]['launches'][0]['timing']['parts']; print(sorted(p), p['decoupled']['commits'] > 0)"
