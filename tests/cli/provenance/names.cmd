# Names of any bytes come back as they were, and what they name is compared.
cp ../../../workloads/vecadd/vecadd.ptx $TMP/v.ptx
tags=$(realpath ../tags/vecadd.yaml)
cd $TMP
name=$'caf\xe9 \\x41'
cat > "$name.yaml" <<'Y'
{weir: 1, modules: [v.ptx], buffers: {x: {type: f32, count: 64}, y: {type: f32, count: 64}, z: {type: f32, count: 64}},
 launches: [{kernel: vecadd, grid: [1], block: [64], args: [$x, $y, $z, 64]}]}
Y
printf 'weir: 1\nextends: fermi-s3\nmachine: {sm: {count: 2}}\n' > "m$name.yaml"
weir run "$name.yaml" --gpu "m$name.yaml" -q --json 1.json || exit
rm "m$name.yaml"
weir run --like 1.json -q --json 2.json && cmp 1.json 2.json && echo same
echo '# changed' >> "$name.yaml"
weir run --like 1.json -q --json 2.json
# A name that could be taken for what weir writes.
mv "$name.yaml" $'\001launches.yaml'
weir run $'\001launches.yaml' -q --json - | python3 -c 'import json, sys; r = json.load(sys.stdin)["runs"][0]; print(repr(r["workload"]), len(r["launches"]))'
# What can be read once only.
weir run vecadd --input test --gpu fermi-s3 --scheme static --tags <(cat "$tags") -q --json 3.json
weir run vecadd --input test --gpu fermi-s3 --scheme static --tags <(cat "$tags") -q --json 3.json --no-provenance && echo good
