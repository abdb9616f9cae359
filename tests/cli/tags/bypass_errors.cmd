weir run spmv --input profile --gpu fermi-s4 --bypass spmv.cu:13
weir run spmv --input profile --gpu fermi-s4 --bypass spmv.cu:12 --bypass bfs.cu:3
weir run spmv --input profile --gpu fermi-s4 --bypass spmv.cu
weir run spmv --input profile --gpu fermi-s4 --bypass spmv.cu:12 --scheme decoupled
weir run spmv --input profile --bypass spmv.cu:12
weir compare spmv --input profile -S baseline,decoupled --bypass spmv.cu:12
weir compare spmv --input profile -S baseline,static --bypass spmv.cu:13 | grep -A2 ^failed
printf 'weir-tags: 1\nkernels:\n- {name: spmv, loads: [{line: spmv.cu:13, tag: cg}]}\n' > $TMP/lines.yaml
cd $TMP; weir run spmv --input profile --gpu fermi-s4 --scheme static --tags lines.yaml
