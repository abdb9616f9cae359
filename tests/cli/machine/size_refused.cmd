# What cannot hold together is refused, with what would.
for set in l1.size=256K l1.ways=512 l1.size=1000 'l1.size=48K --set l1.ways=128' 'l1.size=64K --set l1.sets=4 --set l1.ways=64' \
  'l1.size=1M --set l1.sets=1 --set l1.unified_bytes=0'; do
  weir run vecadd --input test --gpu v100 --set $set
done
