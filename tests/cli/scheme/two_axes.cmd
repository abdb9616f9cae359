# A policy that both replaces and admits takes the place of a replacement policy.
weir list policies | grep -E '^(lru|pdp|pc-bypass) ' | awk '{ print $1, $2 }'
weir run spmv --gpu fermi-s3 --policies pdp,lru
