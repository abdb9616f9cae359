weir explain --gpu fermi-s3 l1.mshr_entries dram.t_rp | grep -v 'set by'
