weir list workload
