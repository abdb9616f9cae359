# Machines that would take more memory than any needs are refused before it is allocated.
for set in l2.sets=1048576 'sm.count=4096 --set sm.inflight=65536' 'sm.count=4096 --set l1.miss_queue=65536' \
  'l1.sets=65536 --set l1.ways=2048 --set l1.index=linear' \
  'l3.enabled=true --set l3.sets=1048576 --set l3.ways=1024'; do
  weir run vecadd --input test --gpu fermi-s3 --set $set
done
