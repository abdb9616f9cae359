# One state of the L2, and only where launches are timed; a bound is none where the L1 is warm, too.
weir run l2.yaml --gpu v100 --cold --warm
weir replay clocks_old.wtrace --gpu v100 --warm --cold
weir compare l2.yaml --warm --cold
weir run l2.yaml --cold
weir run --functional --warm -- true
weir sweep l2.yaml -S baseline --cold --set launch.l2=kept,warm --store $TMP/s.db
weir characterize l2.yaml --gpu v100 --set launch.l2=warm
weir classify l2.yaml --set launch.l2=cold
weir run l2.yaml --gpu fermi-s3 --scheme opt --warm
weir run l2.yaml --gpu fermi-s3 --scheme opt --warm --set l1.flush_on_kernel=true -q && echo emptied
weir run l2.yaml --gpu v100 --scheme opt --warm -q && echo emptied
