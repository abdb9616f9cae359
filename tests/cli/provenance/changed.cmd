# Nothing that has changed since goes unnoticed.
cp ../../../workloads/vecadd/vecadd.ptx $TMP/v.ptx
cc -O1 -shared -fPIC -I ../../../include -o $TMP/mine.so ../plugin/mine.c
cc -O1 -shared -fPIC -I ../../../include -DOTHER -DANSWER=0 -g3 -o $TMP/other.so ../plugin/mine.c
cp -r ../../../gpus ../../../schemes ../../../workloads $TMP
cp $CLIENT $TMP/app
cd $TMP
cat > v.yaml <<'Y'
{weir: 1, modules: [v.ptx], buffers: {x: {type: f32, count: 64}, y: {type: f32, count: 64, init: {file: y.bin}}, z: {type: f32, count: 64}},
 launches: [{kernel: vecadd, grid: [1], block: [64], args: [$x, $y, $z, 64]}]}
Y
head -c 256 /dev/zero > y.bin
try() {
  weir run --like $1 -q --json again.json && cmp $1 again.json && echo the same
  weir run --like $1 -q --json again.json --allow-changed > /dev/null && cmp -s $1 again.json || echo not the same any more
}
weir run v.yaml --gpu fermi-s3 -q --json v.json
try v.json 2>&1 | head -n 1
echo "// remark" >> v.ptx; try v.json
sed -i '$d' v.ptx; try v.json | head -n 1
printf x | dd of=y.bin conv=notrunc status=none; try v.json
weir run vecadd --input test --plugin ./mine.so -q --json p.json
cp other.so mine.so; try p.json
export WEIR_DATA=$TMP
weir run vecadd --input test --gpu fermi-s3 --scheme tsc -q --json m.json
sed -i 's/count: !paper 15/count: !paper 14/' gpus/fermi-s3.yaml; try m.json
sed -i 's/count: !paper 14/count: !paper 15 # as it was/' gpus/fermi-s3.yaml; try m.json | head -n 1
sed -i 's/tag-split/decoupled/' schemes/tsc.yaml; try m.json
weir run --functional -q --json a.json -- ./app workloads/vecadd/vecadd.yaml test > /dev/null
printf x >> app; try a.json
weir record -q -o t.wtrace vecadd --input test
weir replay t.wtrace --gpu fermi-s3 -q --json r.json
weir record -q -o t.wtrace vecadd --input test --no-provenance
weir replay --like r.json -q --json r2.json && echo the same trace
weir record -q -o t.wtrace gather --input test
weir replay --like r.json -q --json r2.json
