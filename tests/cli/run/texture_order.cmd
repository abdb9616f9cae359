# Filtered reads have several records each, which stay together when reads are moved up: the same requests in any order.
for on in false true; do
  weir run texture_order.yaml --gpu h200 -s sched.textures=$on -q --json $TMP/$on.json
done
python3 - $TMP <<'P'
import json
import sys
one, other = (json.load(open(f"{sys.argv[1]}/{on}.json"))["runs"][0]["launches"][0]["timing"] for on in ("false", "true"))
print("requests", one["sm"]["requests"], other["sm"]["requests"])
print("sectors", one["l1"]["texture_sectors"], other["l1"]["texture_sectors"])
P
