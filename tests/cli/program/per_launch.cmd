weir run --gpu fermi-s3 --per-launch --skip 1 --count 4 -- "$CLIENT" ../../../workloads/bfs/bfs.yaml profile
weir run --per-launch bfs --input profile | tail -11
