weir list workloads --names | grep -x vecadd
