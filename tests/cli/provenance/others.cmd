# Of a program, the machine and the settings serve workloads as well, and the other way round.
# slow: many runs, each of them like one of other cases
spmv=$(realpath ../../../workloads/spmv/spmv.yaml)
cd $TMP
weir run -q --gpu fermi-s4 --kernels spmv --count 1 --set l1.mshr_entries=9 --json 1.json -- $CLIENT "$spmv" profile > /dev/null || exit
weir run --like 1.json vecadd --input test -q --json 2.json
weir run --like 2.json -q --json 3.json -- $CLIENT "$spmv" profile > /dev/null
weir run --like 1.json --skip 0 -q --json 4.json -- $CLIENT "$spmv" profile > /dev/null
python3 - <<'E'
import json
for i in "234":
    made = json.load(open(i + ".json"))["provenance"]
    words = made["arguments"]
    print(words[:words.index("--")] if "--" in words else words, made["settings"])
E
