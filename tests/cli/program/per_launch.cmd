weir run --gpu fermi-s3 --per-launch --skip 1 --count 4 -- "$CLIENT" ../../../workloads/bfs/bfs.yaml test
weir run --per-launch bfs --input test | tail -11
