# A hundred values are live at once: no more than 65,536 / 1,024 of them can be in registers.
{
  echo '.version 7.0 .target sm_70 .address_size 64'
  echo '.visible .entry heavy(.param .u64 x) { .reg .b32 %r<102>; .reg .b64 %rd<2>;'
  echo 'ld.param.u64 %rd1, [x]; mov.u32 %r0, %tid.x;'
  for i in $(seq 100); do echo "add.u32 %r$i, %r0, $i;"; done
  for i in $(seq 99); do echo "mul.lo.u32 %r$((i + 1)), %r$i, %r$((i + 1));"; done
  for i in $(seq 100); do echo "add.u32 %r0, %r0, %r$((101 - i));"; done
  echo 'st.global.u32 [%rd1], %r0; ret; }'
} > $TMP/heavy.ptx
launch() {
  echo "{weir: 1, modules: [heavy.ptx], buffers: {x: {type: u32, count: 4}},
    launches: [{kernel: heavy, grid: [1], block: [1024], args: [\$x]$1}]}" > $TMP/heavy.yaml
}
launch
weir run $TMP/heavy.yaml --gpu v100 | grep -o -e '[0-9]* (sm[^ ]*' -e '^\* .*'
weir run $TMP/heavy.yaml --gpu v100 --json - | grep '"registers_'
weir run $TMP/heavy.yaml --gpu fermi-s3 | grep -o -e '[0-9]* (sm[^ ]*' -e '^\* .*'
weir record -q -o $TMP/heavy.wtrace $TMP/heavy.yaml
weir replay $TMP/heavy.wtrace --gpu v100 | tail -n 1
launch ', registers: 101'
weir run $TMP/heavy.yaml --gpu v100
