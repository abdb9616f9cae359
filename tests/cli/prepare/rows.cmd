# The example, by the command at its head.
# slow: the conformance suite, which test_conformance tries with a sanitizer
cd ../../..
build=$(sed -n 's/^ \*   \(cc .*\)/\1/p' examples/prepared-policy/pc_reuse.c)
grep -cF "$build" docs/preparations.md
eval "${build/-o /-Wall -Wextra -Werror -o $TMP/}"
cc -Wall -Wextra -Werror -O1 -shared -fPIC -I include -o "$TMP/tables.so" tests/cli/prepare/tables.c
cd "$TMP" || exit
mine() { weir "$@" --plugin ./pc_reuse.so; }
weir check-policy ./pc_reuse.so
mine list preparations
mine help policy pc-reuse | head -3
# One run prepares, the other finds what was kept; the threads do not matter.
mine run gather --input test --gpu fermi-s3 --json 1.json | grep -e ^machine -e prepared
mine run gather --input test --gpu fermi-s3 --json 2.json --threads 2 | grep prepared
cmp 1.json 2.json && ls "$WEIR_CACHE" | sed 's/[0-9a-f]\{32\}/KEY/'
python3 - << 'X'
import json
with open("1.json") as f:
    o = json.load(f)
print([dict(p, key=len(p["key"])) for p in o["provenance"]["preparations"]])
print(o["runs"][0]["profile"], o["runs"][0]["launches"][0]["timing"]["l1"]["bypassed_profile"] > 0)
X
weir run --like 1.json --json 3.json -q && cmp 1.json 3.json && echo repeated
# A parameter of the policy that prepares makes another table; so does another machine.
mine run gather --input test --gpu fermi-s3 --set pc-reuse.percent=20 -q
mine run gather --input test --gpu fermi-s4 -q
ls "$WEIR_CACHE" | wc -l
# A trace is its own profile.
weir record -o gather.wtrace gather --input profile -q
mine replay gather.wtrace --gpu fermi-s3 --json 4.json | grep prepared
mine run gather --gpu fermi-s3 --input profile --check --json 5.json | grep prepared
python3 - << 'X'
import json
with open("4.json") as f, open("5.json") as g:
    a, b = json.load(f), json.load(g)
print(a["kernels"][0]["timing"] == b["runs"][0]["launches"][0]["timing"], a["profile"])
X
# What comes of it is in the table: an empty one is the baseline, a full one lets nothing in.
for t in no-rows all-rows; do
  printf 'weir: 1\nabout: x\npolicies: [pc-reuse]\nprepare: %s\n' $t > $t.yaml
done
printf 'weir: 1\nabout: x\npolicies: [pc-reuse]\nprepare: crash-rows\n' > crash.yaml
printf 'weir: 1\nabout: x\npolicies: [pc-reuse]\nprepare: many-rows\n' > many.yaml
compare() { weir compare gather gather.wtrace -i profile -g fermi-s3 --plugin ./pc_reuse.so --plugin ./tables.so "$@"; }
compare -S baseline,no-rows.yaml,all-rows.yaml,pc-reuse,crash.yaml,many.yaml --csv t.csv > t.txt
grep -e ^g -e ^= -e ^failed t.txt | sed 's/with crash: .*/with crash: .../'
python3 - << 'X'
import csv
with open("t.csv") as f:
    rows = {(r["workload"], r["scheme"]): r for r in csv.DictReader(line for line in f if line[0] != "#")}
own = ("scheme", "storage_bits", "profile_input", "profile_is_timed", "storage_declared")
for w in ("gather", "gather.wtrace"):
    base, none, every, own_table = (rows[w, s] for s in ("baseline", "no-rows", "all-rows", "pc-reuse"))
    same = all(none[k] == v for k, v in base.items() if k not in own)
    print(w, same, every["l1.bypassed"] == every["l1.loads"], 0 < int(own_table["l1.bypassed"]) < int(every["l1.bypassed"]))
X
