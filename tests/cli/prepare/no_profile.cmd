# A launch file without an input for it is profiled on what is timed.
sed -e '/profile/d' -e '/bench/d' ../../../workloads/gather/gather.yaml > "$TMP/gather.yaml"
cp ../../../workloads/gather/gather.ptx "$TMP"
sed -i 's/eval: {[^}]*}/eval: {n: 8192, entries: 4096, hot: 256, repeats: 1}/; /expect/,$d' "$TMP/gather.yaml"
grep -A 2 inputs "$TMP/gather.yaml"
weir run "$TMP/gather.yaml" --gpu fermi-s4 --scheme static | grep classified
weir compare "$TMP/gather.yaml" --schemes baseline,static --gpus fermi-s4 | grep =
