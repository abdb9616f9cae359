WEIR_DATA=/nonexistent weir list workloads
