weir compare -w vecadd -S tsc,tsc+ -b tsc+ -g fermi-s3,fermi-s0 -i test | grep -e speed-up -e '^vecadd' | tr -s ' '
