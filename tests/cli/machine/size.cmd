# Of size, sets and ways two give the third; on a unified array size is the most that the L1 gets.
show() { weir explain "$@" l1.size l1.sets l1.ways | grep -E '^l1|value|set by'; }
echo "fixed, size alone keeps the sets"; show --gpu fermi-s3 --set l1.size=64K
echo "fixed, sets alone keep the ways"; show --gpu fermi-s3 --set l1.sets=64
echo "fixed, size and ways"; show --gpu fermi-s3 --set l1.size=64K --set l1.ways=8
echo "unified, as it is"; show --gpu v100
echo "unified, a part of it"; show --gpu v100 --set l1.size=32K
echo "unified, by ways"; show --gpu v100 --set l1.ways=64
echo "unified, other sets: the whole again"; show --gpu v100 --set l1.sets=8
echo "another array: the whole of that"; show --gpu v100 --set l1.unified_bytes=256K
