# Sectors, several kernels, and an L1 whose size depends on the kernel.
# slow: many runs, each of them like one of other cases
weir characterize histogram --input test --gpu v100 --check
weir characterize bfs --input test --gpu v100 --check | sed -n '/^what/,/^kernels/p'
