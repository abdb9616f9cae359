# Lines of the L1 and of the L2, each of its own size, from a file and from the command line.
cd "$TMP"
cat >small.yaml <<END
weir: 1
extends: fermi-s3
machine:
  l1: {line: 64, size: 16K}
  l2: {line: 128}
END
show() { weir run gather --input test --check -q --json $TMP/o.json "$@" && python3 -c '
import json
m = json.load(open("o.json"))["runs"][0]["launches"][0]["timing"]
l1, l2 = m["l1"], m["l2"]
print(m["cycles"], "cycles;", l1["loads"], "loads,", l1["misses"], "misses,", l1["fills"], "fills,", l1["requests"],
      "packets;", l2["reads"], "reads of", l2["read_sectors"], "sectors,", l2["writes"], "writes")'; }
echo "64 in 128"; show --gpu small.yaml
echo "32 in 128"; show --gpu fermi-s3 --set l1.line=32 --set l1.size=16K
echo "256 over 128"; show --gpu fermi-s3 --set l1.line=256 --set l1.size=16K
echo "and with three threads"; show --gpu fermi-s3 --set l1.line=256 --set l1.size=16K --threads 3
