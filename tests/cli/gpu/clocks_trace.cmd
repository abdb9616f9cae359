# A trace of a weir that did not say which instructions read clocks; and one that does.
weir replay clocks_old.wtrace --gpu fermi-s3 --clocks | tail -2
weir record -q -o $TMP/c.wtrace simt/clocks
weir replay $TMP/c.wtrace --gpu fermi-s3 --clocks | tail -9
weir trace head $TMP/c.wtrace | grep -c 'reads a clock'
