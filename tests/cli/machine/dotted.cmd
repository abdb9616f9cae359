# --config takes keys with dots, nested ones, and both.
cd "$TMP"
printf 'l1.size: 32K\nl1: {hit_latency: 3}\nexec.quantum: 64\n' >s.yaml
weir explain --gpu fermi-s3 --config s.yaml l1.size l1.hit_latency exec.quantum | grep -E '^[a-z]|value|set by'
printf 'l1.size: 32K\nl1: {size: 32K}\n' >twice.yaml; weir explain --config twice.yaml l1.size
printf 'l1..size: 32K\n' >bad.yaml; weir explain --config bad.yaml l1.size
printf 'l1.sice: 32K\n' >bad.yaml; weir explain --config bad.yaml l1.size
