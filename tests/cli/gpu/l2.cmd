# --warm: a launch is timed as the second of two in a row, and counted once. --cold: each finds nothing.
simulate() { weir run l2.yaml --gpu "$gpu" -q --check --no-provenance --json "$TMP/$1.json" "${@:2}"; }
for gpu in v100 fermi-s3 gcn-s2; do
  simulate kept --input twice
  simulate warm --input once --warm
  simulate threads --input once --warm --threads 2
  simulate cold --input twice --cold
  weir record -q -o "$TMP/l2.wtrace" l2.yaml --input once
  weir replay "$TMP/l2.wtrace" --gpu $gpu -q --check --no-provenance --json "$TMP/replayed.json" --warm
  python3 - "$TMP" $gpu <<'END'
import json, sys
def launches(name):
    root = json.load(open(f"{sys.argv[1]}/{name}.json"))
    return [x["timing"] for x in (root["runs"][0]["launches"] if "runs" in root else root["kernels"])]
first, second = launches("kept")
warm, = launches("warm")
print(sys.argv[2], "warm is the second:", warm == second, launches("threads") == [warm], launches("replayed") == [warm])
print(sys.argv[2], "cold is the first:", launches("cold")[0] == first)
for name in ("kept", "warm", "cold"):
    print("sectors that the L2 lacked,", name, [x["l2"]["load_sectors_missed"] for x in launches(name)])
END
done
weir run l2.yaml --gpu v100 --warm | grep ^machine
weir run l2.yaml --gpu v100 --cold | grep ^machine
# A program's launches, and a comparison's.
weir run --gpu v100 --warm -q --no-provenance --json "$TMP/program.json" -- "$CLIENT" l2.yaml once
weir compare l2.yaml --input once -g v100 -S baseline --warm -q --json "$TMP/compared.json"
weir run l2.yaml --gpu v100 --input once --warm -q --json "$TMP/warm.json"
python3 - "$TMP" <<'END'
import json, sys
def read(name):
    return json.load(open(f"{sys.argv[1]}/{name}.json"))
warm = read("warm")["runs"][0]["launches"][0]["timing"]
print("program:", read("program")["runs"][0]["launches"][0]["timing"] == warm)
run = read("compared")["runs"][0]
print("compare:", all(run[k] == warm[k] for k in ("cycles", "derived", "l1", "l2", "dram")), read("compared")["provenance"]["settings"])
END
# What was made so is made so again, and can be changed.
weir run --like "$TMP/warm.json" -q --json "$TMP/again.json" && cmp "$TMP/warm.json" "$TMP/again.json" && echo again
weir run --like "$TMP/warm.json" --cold | grep ^machine
