weir replay barrier_registers.traceg --gpu fermi-s3 --clocks
