# Only the launches between cudaProfilerStart and cudaProfilerStop are timed; --skip and --count count those.
weir run --gpu fermi-s3 --profiler-region --per-launch -- "$CLIENT" ../../../workloads/bfs/bfs.yaml test region
weir run --gpu fermi-s3 --profiler-region --skip 1 --quiet --json $TMP/out.json -- "$CLIENT" ../../../workloads/bfs/bfs.yaml test region
python3 -c 'import json, sys; print([(r["launches_not_wanted"], [l["launch"] for l in r["launches"]]) for r in json.load(open(sys.argv[1]))["runs"]])' $TMP/out.json
weir record -o $TMP/r.wtrace --profiler-region -- "$CLIENT" ../../../workloads/bfs/bfs.yaml test region | grep bfs
weir run --profiler-region -- "$CLIENT" ../../../workloads/bfs/bfs.yaml test
weir run spmv --profiler-region
