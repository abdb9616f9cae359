# A filter by lines: made on the input that is timed, since addresses mean nothing with another.
# slow: many runs, each of them like one of other cases
cd "$TMP" || exit
mine() { weir run gather --gpu fermi-s3 "$@"; }
weir help policy profiled | sed -n '/rows/p'
mine --input test --scheme profiled-both --json 1.json | grep prepared
mine --input profile --scheme profiled-both | grep prepared
ls "$WEIR_CACHE" | sed 's/[0-9a-f]\{32\}/KEY/'
# Filter and threshold are not asked before: the same rows serve them all. Stores are.
for s in local global; do mine --input test --scheme profiled-$s -q; done
mine --input test --scheme profiled-both --set profiled.threshold=5 --set profiled.global=total -q
ls "$WEIR_CACHE" | wc -l
mine --input test --scheme profiled-both --set profiled.count_stores=true -q
ls "$WEIR_CACHE" | wc -l
# Every line has a reference.
mine --input test --scheme baseline --json 2.json -q
mine --input test --scheme profiled-both --set profiled.threshold=1 --check --json 3.json -q
python3 - << 'X'
import json
def timing(name):
    with open(name) as f:
        return json.load(f)["runs"][0]["launches"][0]["timing"]
few, base, every = timing("1.json"), timing("2.json"), timing("3.json")
mine = few["parts"]["profiled"]
print(every["l1"] == base["l1"], every["cycles"] == base["cycles"])
print(mine["loads"] == base["l1"]["loads"], mine["bypassed"] == few["l1"]["bypassed_profile"] > 0, mine["unprofiled"])
with open("1.json") as f:
    print(json.load(f)["runs"][0]["profile"])
X
weir compare gather -i test -g fermi-s3 -S baseline,profiled-local,profiled-both --csv t.csv | grep -e '^gather' -e '^='
grep -v '^#' t.csv | cut -d, -f1-3,11,12
