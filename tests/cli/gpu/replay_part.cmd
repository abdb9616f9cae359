# replay --skip and --count: some launches of a trace; the others are not even read.
weir record -q --no-provenance -o "$TMP/bfs.wtrace" bfs --input test
part() { weir replay "$TMP/bfs.wtrace" --gpu v100 -q --no-provenance --json "$TMP/$1.json" "${@:2}"; }
part all --cold
part first --cold --count 2
part middle --cold --skip 2 --count 3
part last --cold --skip 5 --count 3
part best --cold --scheme opt
part best_middle --cold --scheme opt --skip 2 --count 3
python3 - "$TMP" <<'END'
import json, sys
def launches(name):
    return [x["timing"] for x in json.load(open(f"{sys.argv[1]}/{name}.json"))["kernels"]]
every = launches("all")
print(len(every), "launches; the first ones are the same:", launches("first") == every[:2])
def counts(some):
    return [(x["sm"]["warp_insns"], x["l1"]["loads"], x["l1"]["stores"]) for x in some]
print("the others do the same:", counts(launches("middle")) == counts(every[2:5]), counts(launches("last")) == counts(every[5:]))
def hits(name):
    return [x["l1"]["hits"] for x in launches(name)]
print("what is prepared is prepared for them:", hits("best_middle") == hits("best")[2:5])
END
weir replay "$TMP/bfs.wtrace" --gpu v100 --skip 2 --count 2 | tail -n 1
weir replay "$TMP/bfs.wtrace" --gpu v100 --skip 5 | tail -n 1
# The first launch is damaged.
python3 - "$TMP/bfs.wtrace" <<'END'
import sys
b = bytearray(open(sys.argv[1], "rb").read())
b[600] ^= 1
open(sys.argv[1], "wb").write(b)
END
weir replay "$TMP/bfs.wtrace" --gpu v100 -q 2>/dev/null; echo "exit $?"
weir replay "$TMP/bfs.wtrace" --gpu v100 -q --skip 1; echo "exit $?"
# A list of Accel-Sim's, of which only the last kernel is there.
cp no_registers.traceg "$TMP/kernel-3.traceg"
printf 'kernel-1.traceg\nMemcpyHtoD,0x1000,64\nkernel-2.traceg\nkernel-3.traceg\n' > "$TMP/kernelslist.g"
weir replay "$TMP/kernelslist.g" --gpu v100 -q --skip 2 && echo the third
weir replay "$TMP/kernelslist.g" --gpu v100 -q --skip 1 --count 1 2>/dev/null; echo "exit $?"
cd "$TMP"
weir replay kernelslist.g --gpu v100 --skip 3
weir replay bfs.wtrace --gpu v100 --skip 6 --count 1
weir replay bfs.wtrace --gpu v100 --count 0
weir replay bfs.wtrace --gpu v100 --skip -1
