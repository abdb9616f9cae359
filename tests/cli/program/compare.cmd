weir compare vecadd --input test -S baseline,static,decoupled --count 3 -- "$CLIENT" ../../../workloads/bfs/bfs.yaml test exit 3 | head -6
echo "exit ${PIPESTATUS[0]}"
weir compare -S baseline -- "$CLIENT" ../../../workloads/bfs/bfs.yaml test -q >/dev/null
echo "exit $?"
