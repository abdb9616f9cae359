#!/bin/sh
# Counters of every launch of workloads, on a GPU: tools/hw/validate.sh OUTDIR CONFIG [OPTIONS] [WORKLOAD ...]; --help says more.
# Needs build/launch_gpu (tools/hw/launch_gpu.sh build, on any machine), ptxas, ncu and python3.
PATH=$PATH:/usr/local/cuda/bin
export PATH
exec python3 "$(dirname "$0")/validate_run.py" "$@"
