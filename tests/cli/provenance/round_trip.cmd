# Whatever was run is run again from what its output says, to the byte.
# slow: thirty runs, each of them like one of other cases
cc -O1 -shared -fPIC -I ../../../include -o $TMP/mine.so ../plugin/mine.c
cp ../../../workloads/vecadd/vecadd.ptx $TMP/v.ptx
cp ../../../schemes/decoupled.yaml $TMP/own.yaml
cp ../gpu/no_registers.traceg $TMP/k.traceg
spmv=$(realpath ../../../workloads/spmv/spmv.yaml)
cd $TMP
echo k.traceg > kernelslist.g
cat > v.yaml <<'Y'
{weir: 1, modules: [v.ptx], buffers: {x: {type: f32, count: 64}, y: {type: f32, count: 64}, z: {type: f32, count: 64}},
 launches: [{kernel: vecadd, grid: [1], block: [64], args: [$x, $y, $z, 64]}]}
Y
printf '#!/bin/sh\nexec %s "$@"\n' $CLIENT > app
chmod +x app
again() { # an output, its option, and how it was made
  out=$1 option=$2 command=$3
  shift 3
  weir $command -q $option $out "$@" > /dev/null 2> said || cat said
  weir $command --like $out -q $option 2.$out > /dev/null 2> said || cat said
  cmp $out 2.$out && echo "$command $option: same"
}
again a.json --json run v.yaml
again b.json --json run all --input test --functional --set exec.quantum=64
again c.json --json run vecadd --input test --gpu fermi-s3 --organisation tag-split --policies pc-bypass,tsc-plus
again d.json --json run gather --input test --gpu fermi-s4 --scheme coordinated
again e.json --json run gather --input test --plugin ./mine.so --policies mine,srrip
again f.json --json run --gpu fermi-s3 --kernels spmv --skip 0 --count 2 -- ./app "$spmv" test
again g.json --json run -f -- ./app "$spmv" test
again h.json --json replay kernelslist.g --gpu fermi-s3 --opcode-class FOO=int
again i.csv --csv compare vecadd v.yaml -S baseline,own.yaml,mine,static -g fermi-s4,fermi-s3 -b own.yaml --plugin ./mine.so --set l1.mshr_entries=9
again j.json --json compare -S baseline,tsc+ -- ./app "$spmv" test
again p.json --json compare vecadd -i test -S baseline,random-bypass --repeat 2 --set jitter.memory=5
again k.json --json classify gather --input test --set cls.high=0.5
again l.json --json classify --count 1 -- ./app "$spmv" test
again m.wtrace -o record gather --input test --set exec.quantum=64
again n.wtrace -o record --gpu a100 --count 1 -- ./app "$spmv" test
again o.wtrace -o record kernelslist.g
