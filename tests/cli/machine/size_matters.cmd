# A sweep of the L1's size on a machine with a unified array is no flat line.
for size in 8K 32K 128K; do
  weir run gather --input test --gpu v100 --set l1.size=$size --json - |
    python3 -c "import json,sys; print(sum(l['timing']['l1']['hits'] for l in json.load(sys.stdin)['runs'][0]['launches']))"
done | uniq | wc -l
