# Blocks on an SM: as many as are allowed, with the policy named as what limits them; without a limit, the baseline.
for n in 1 3 64; do
  weir run gather --input test --gpu fermi-s3 --policies tb-limit,lru --set tb-limit.blocks=$n --check --json - |
    python3 -c "import json, sys; t = json.load(sys.stdin)['runs'][0]['launches'][0]['timing']; print(t['blocks_per_sm'], t['blocks_limited_by'], t['cycles'])"
done
weir run gather --input test --gpu fermi-s3 --json - |
  python3 -c "import json, sys; t = json.load(sys.stdin)['runs'][0]['launches'][0]['timing']; print(t['blocks_per_sm'], t['blocks_limited_by'], t['cycles'])"
