# An L1 that keeps its lines from launch to launch: lines are found again, and counted once.
weir characterize bfs --input test --check --set l1.flush_on_kernel=false
