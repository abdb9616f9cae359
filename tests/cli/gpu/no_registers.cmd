weir replay no_registers.traceg --gpu fermi-s3 | tail -n 1
