weir list --nmaes workloads
