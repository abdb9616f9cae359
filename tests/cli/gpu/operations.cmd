# Addition, min/max, multiplication, multiply-add and division of each type have a class each, in a trace too. One that
# was split from another has what that one has, until it is given its own.
F=../../compat/files/operations.yaml M=../../compat/files/machine.yaml
weir run $F --functional --json - | grep -E '^      "class_[ifd]'
weir record -q -o $TMP/o.wtrace $F
cycles() { weir "$@" --gpu $M --set sm.$set --json - | grep -o '"cycles": [0-9]*' | head -n 1; }
for set in fp32_latency=4 fp32_latency=14 fmax_latency=14 fmul_latency=14 ffma_latency=14 int_latency=14 \
  imax_latency=14 imul_latency=14 imad_latency=14 fp64_latency=14 dmax_latency=14 dmul_latency=14 dfma_latency=14; do
  ran=$(cycles run $F)
  [ "$ran" = "$(cycles replay $TMP/o.wtrace)" ] && echo "$set: $ran, replayed the same"
done
weir explain sm.ffma_latency --gpu $M --set sm.fp32_latency=9 | head -n 3
