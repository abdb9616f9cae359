# A setting that cannot have an effect is an error that names what governs instead.
try() { weir run gather --input test -q "$@" && echo "fine: $*"; }
try --set l1.size=32K
try --set energy.tag_nj=1
try --set exec.stream_memory=1G
try --gpu v100 --set l1.flush_on_kernel=false
try --gpu v100 --set l1.local_wb=true
try --gpu fermi-s3 --scheme decoupled --set l1.alloc=fill
try --gpu fermi-s3 --scheme decoupled --set l1.sectored=true
try --gpu fermi-s3 --set l1.enabled=false --set l1.ways=8
try --gpu fermi-s3 --set l3.sets=64
try --gpu fermi-s3 --set sm.active_warps=4
try --gpu fermi-s3 --set sm.broadcast_latency=50
try --gpu fermi-s3 --set pc-bypass.threshold=3
try --gpu fermi-s3 --scheme pc-bypass --set pc-bypass.duel=false --set pc-bypass.psel_off=3
try --gpu fermi-s3 --set energy.pc_bypass_tag_nj=1
try --gpu fermi-s3 --set cls.high=0.8
try --gpu fermi-s3 --set cuda.capability=75
try --gpu fermi-s3 --policies coordinated,lru --set coordinated.all_cm=true --set coordinated.l2_latency=99
# The default too: it was said.
try --gpu fermi-s3 --set l3.sets=1024
printf 'l1.carveouts: "0,8K"\n' >"$TMP/s.yaml"
try --gpu fermi-s3 --config "$TMP/s.yaml"
try --gpu v100 --config "$TMP/s.yaml"
try --gpu fermi-s3 --scheme decoupled --set sm.broadcast_latency=50
try --set exec.quantum=64
try --streams --set exec.stream_memory=1G
