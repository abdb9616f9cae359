# The command at the head of the example that keeps stores: it does, and what is kept is written back later.
# slow: the conformance suite, which test_conformance tries with a sanitizer
cd ../../..
wc -l <examples/own-stores/reread.c
build=$(sed -n 's/^ \*   \(cc .*\)/\1/p' examples/own-stores/reread.c)
grep -cF "$build" examples/own-stores/README.md
eval "${build/-o /-Wall -Wextra -Werror -o $TMP/}"
cd "$TMP" || exit
weir check-policy ./reread.so
weir run bfs --input test --gpu fermi-s3 -q --json base.json >/dev/null
weir run bfs --input test --gpu fermi-s3 -q --plugin ./reread.so --check --json kept.json >/dev/null
python3 - <<'P'
import json


def total(file, *path):
    sum = 0
    for launch in json.load(open(file))["runs"][0]["launches"]:
        value = launch["timing"]
        for key in path:
            value = value.get(key, {}) if isinstance(value, dict) else {}
        sum += value or 0
    return sum


kept, written = total("kept.json", "parts", "reread", "kept"), total("kept.json", "l1", "writebacks")
print("written back without it:", total("base.json", "l1", "writebacks"))
print("kept and written back:", kept > 0, 0 < written <= kept)
sent = [total(f, "l2", "writes") for f in ("base.json", "kept.json")]
print("fewer stores reach the L2:", sent[1] < sent[0])
P
