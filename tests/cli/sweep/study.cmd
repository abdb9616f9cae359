# A study in a file; options take the place of its lists.
# slow: many runs, each of them like one of other cases
sql() { python3 "$HERE/../sql.py" "$@"; }; HERE=$PWD
cd $TMP
cat > study.yaml <<'EOF'
weir-study: 1
about: How large must the L1 be?
workloads: [vecadd, reduction]
input: test
gpus: fermi-s3
schemes: [baseline, tsc]
set:
  l1.size: 16K..64K x2
  l1:
    ways: [4, 8]
  tag-split.chunk_bytes: 32
constraints:
  - l1.size / l1.ways >= 4096
  - scheme = 'baseline' OR l1.size > 16384
metrics:
  loads: "[l1.loads]"
  cycles_per_load: 1.0 * cycles / [l1.loads]
EOF
weir sweep study.yaml --store s.db
sql s.db "SELECT r.workload, r.scheme, s.value, w.value FROM runs AS r
  JOIN settings AS s ON s.run = r.id AND s.key = 'l1.size' JOIN settings AS w ON w.run = r.id AND w.key = 'l1.ways'
  WHERE r.workload = 'vecadd' ORDER BY 2, 3, 4"
weir show s.db --value loads --rows workload,scheme | tail -n +2
weir show s.db --value cycles_per_load --rows workload,scheme --where "[l1.ways] = 4" | wc -l
sed -i 's/l1.loads\]$/l1.load]/' study.yaml
weir sweep study.yaml --store s.db
sed -i '/^metrics/,$d' study.yaml
weir sweep study.yaml vecadd -S baseline --set l1.ways=2 --where "l1.size = 16384" --store s.db
sql s.db "SELECT DISTINCT json_extract(provenance, '$.files[0].name'), json_extract(provenance, '$.files[0].text') LIKE '%How large must the L1 be?%' FROM runs"
