#!/bin/sh
# Hardware counters of small kernels, by Nsight Compute: sectors that L1, L2 and DRAM move, cycles of an empty launch.
#
#   tools/hw/micro_ncu.sh OUTDIR [BENCHMARK...]    writes OUTDIR/micro_ncu.tsv, rows like those of micro.tsv; all of them
#                                                  take four minutes
#
# The clocks are left as they are, and the caches are emptied before each kernel (CACHES=none: they are not). METRICS:
# other counters than those below, with blanks between. Without ncu, or if it cannot read counters, a row says so.
set -u
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-}
if [ -z "$out" ]; then
  sed -n '2,9s/^# \{0,1\}//p' "$0"
  exit 2
fi
shift
mkdir -p "$out"
tsv=$out/micro_ncu.tsv
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed() { # WHAT
  printf 'counters\t\tFAILED\t%s\n' "$1" >>"$tsv"
  echo "$1" >&2
}

places="/opt/nvidia/nsight-compute /usr/local/cuda/bin"
# shellcheck disable=SC2086 # a list
ncu=$(command -v ncu || find $places -maxdepth 2 -name ncu 2>/dev/null | tail -n 1)
{
  echo "# $(date -u '+%Y-%m-%d %H:%M') UTC, tools/hw/micro_ncu.sh OUTDIR"
  nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,clocks.max.mem --format=csv,noheader 2>&1 | sed 's/^/# /'
  [ -z "$ncu" ] || "$ncu" --version 2>&1 | sed -n 's/^Version/# ncu/p'
  printf 'benchmark\tparameters\tmetric\tvalue\n'
} >"$tsv"
if [ -z "$ncu" ]; then
  failed "ncu is not installed"
  exit 0
fi
if ! nvcc -O2 -std=c++17 -arch="${ARCH:-sm_90}" -o "$work/counters" "$here/micro/counters.cu" >"$work/log" 2>&1; then
  failed "counters.cu does not build: $(grep -m1 error "$work/log" | tr '\t' ' ')"
  exit 0
fi

metrics=${METRICS:-"gpc__cycles_elapsed.max sm__cycles_elapsed.max smsp__inst_executed.sum
  l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
  l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum
  l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum l1tex__t_requests_pipe_lsu_mem_global_op_st.sum
  l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum
  l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum l1tex__data_pipe_lsu_wavefronts.sum
  l1tex__data_bank_reads.sum l1tex__data_bank_conflicts_pipe_lsu_mem_global_op_ld.sum
  l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum l1tex__m_xbar2l1tex_read_sectors.sum
  l1tex__m_xbar2l1tex_read_bytes.sum l1tex__m_l1tex2xbar_write_bytes.sum
  l1tex__m_l1tex2xbar_req_cycles_active.sum lts__t_requests_srcunit_tex.sum lts__t_sectors_srcunit_tex.sum
  lts__t_sectors_srcunit_tex_lookup_hit.sum lts__t_sectors_srcunit_tex_lookup_miss.sum
  lts__t_sectors_op_read.sum lts__t_sectors_op_write.sum lts__t_sectors_op_red.sum lts__t_sectors_op_atom.sum
  lts__t_sectors_srcunit_ltcfabric.sum lts__t_requests_srcunit_ltcfabric.sum
  lts__t_sectors_srcunit_ltcfabric_lookup_hit.sum lts__t_tag_requests.sum lts__d_sectors_fill_device.sum
  dram__sectors_read.sum dram__sectors_write.sum"}
# those that this ncu and GPU have
timeout 60 "$ncu" --query-metrics 2>/dev/null | awk '{ print $1 }' >"$work/known"
list=
for m in $metrics; do
  if [ "$(wc -l <"$work/known")" -lt 50 ] || grep -qx -e "${m%.*}" -e "$m" "$work/known"; then list=$list,$m; else
    printf 'counters\tcounter=%s\tUNKNOWN\t0\n' "$m" >>"$tsv"
  fi
done
timeout -k 5 170 "$ncu" --clock-control none --cache-control "${CACHES:-all}" --print-units base --csv --metrics "${list#,}" \
  -k regex:probe --log-file "$work/csv" "$work/counters" "$@" >"$work/labels" 2>"$work/err"
rc=$?
why=$(grep -h -m2 -i error "$work/csv" "$work/err" 2>/dev/null | tr '\n\t' '  ')
[ "$rc" -eq 0 ] || failed "ncu: exit status $rc: $why"
python3 "$here/micro_read.py" --join "$work/labels" "$work/csv" >>"$tsv" || failed "the counters could not be read"
echo "$(awk 'END { print NR }' "$tsv") lines in $tsv"
