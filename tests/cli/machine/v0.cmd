# The machines of version 0.2 are still there, by other names and with its results.
cp ../../../workloads/gather/gather.ptx $TMP
sed -e 's/eval: .*/eval: {n: 16384, entries: 16384, hot: 512, repeats: 2}/' -e '/profile: /d' -e '/bench: /d' -e '/^expect/,$d' \
  ../../../workloads/gather/gather.yaml >$TMP/g.yaml
for g in fermi-s0 fermi-s3 fermi-s4 pascal-s1 pascal-cfg gtx480-cfg v100-cfg; do
  weir compare $TMP/g.yaml simt/atomics32 simt/local_array --gpus $g-v0 --schemes baseline,bypass-all --csv - --no-provenance |
    python3 -c "import csv, sys
for r in csv.DictReader(sys.stdin): print(r['gpu'].removesuffix('-v0'), r['workload'].split('/')[-1], r['scheme'], r['cycles'])"
done
