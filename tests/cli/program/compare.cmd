weir compare vecadd --input profile -S baseline,static,decoupled --count 3 -- "$CLIENT" ../../../workloads/bfs/bfs.yaml profile exit 3 | head -6
echo "exit ${PIPESTATUS[0]}"
weir compare -S baseline -- "$CLIENT" ../../../workloads/bfs/bfs.yaml profile -q >/dev/null
echo "exit $?"
