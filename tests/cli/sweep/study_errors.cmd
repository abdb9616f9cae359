cd $TMP
study() { echo "weir-study: 1" > s.yaml; cat >> s.yaml; weir sweep s.yaml --store s.db; echo "exit $?" >&2; }
study <<< "workload: [vecadd]"
study <<< "workloads: {vecadd: 1}"
study <<< $'workloads: [vecadd]\nset: {l1.size: [16K, 16K]}'
study <<< $'workloads: [vecadd]\nset: {l1.siz: 16K}'
study <<< $'workloads: [vecadd]\ninput: test\nset: {l1.size: [16K, 32K]}\nconstraints: [l1.sizes > 3]'
study <<< $'workloads: [vecadd]\nseeds: 0'
study <<< $'workloads: [vecadd]\nprograms: [./app]'
study <<< "gpus: fermi-s3"
echo "weir-study: 2" > s.yaml
weir sweep s.yaml --store s.db
echo "workloads: [vecadd]" > t.yaml
weir sweep t.yaml --store s.db
ls
