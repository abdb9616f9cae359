# The same from a launch file, a program, and a trace, with any number of threads.
weir run clocks.yaml --gpu fermi-s3 --clocks -q --json $TMP/run.json --no-provenance
weir run clocks.yaml --gpu fermi-s3 --clocks -q --json $TMP/run4.json --no-provenance --threads 4
cmp $TMP/run.json $TMP/run4.json && echo the same with 4 threads
weir run clocks.yaml --gpu fermi-s3 -q --json $TMP/without.json
weir record -q -o $TMP/c.wtrace clocks.yaml
weir replay $TMP/c.wtrace --gpu fermi-s3 --clocks -q --json $TMP/replay.json
weir run --gpu fermi-s3 --clocks -q --json $TMP/program.json -- "$CLIENT" clocks.yaml eval
python3 - $TMP <<'EOF'
import json, sys
read = lambda name: json.load(open(f"{sys.argv[1]}/{name}.json"))
launches = read("run")["runs"][0]["launches"]
for l in launches:
    print(l["kernel"], l["reads_clock"])
    for c in l["timing"]["clocks"]:
        print(" ", *("{}:{} (PTX {}, pc {})".format(c[end]["file"], c[end]["line"], c[end]["ptx_line"], c[end]["pc"])
                     for end in ("from", "to")), *(c[k] for k in ("count", "min", "mean", "max")))
clocks = [l["timing"]["clocks"] for l in launches]
print([k["timing"]["clocks"] for k in read("replay")["kernels"]] == clocks,
      [l["timing"]["clocks"] for l in read("program")["runs"][0]["launches"]] == clocks)
without = read("without")["runs"][0]["launches"]
print("clocks" in without[0]["timing"], without[0]["timing"]["cycles"] == launches[0]["timing"]["cycles"])
EOF
