#!/usr/bin/env python3
"""How much faster is a sweep than a loop? bench/sweep.py [--weir build/weir] [--input eval]

The same points by 'weir sweep' on all cores and by a shell loop of 'weir run --threads 1', one after the other; seconds and
processor seconds of both, and whether cycles are equal. Only a quiet machine gives a number.
"""
import argparse
import json
import pathlib
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORKLOADS = "bfs,histogram,lud,matmul-naive,matmul-tiled,reduction,stencil,vecadd,wavefront,workqueue"
SCHEMES = "baseline,tsc+,decoupled,pc-bypass,random-bypass"
SIZES = "16K,32K"
MSHRS = "16,32"


def timed(what):
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    what()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.monotonic() - began, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--weir", default=ROOT / "build/weir", type=pathlib.Path)
    p.add_argument("--gpu", default="gtx480-cfg")
    p.add_argument("--input", default="eval")
    p.add_argument("--workloads", default=WORKLOADS)
    p.add_argument("--schemes", default=SCHEMES)
    args = p.parse_args()
    weir = args.weir.resolve()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        points = [(w, s, size, mshrs) for w in args.workloads.split(",") for s in args.schemes.split(",")
                  for size in SIZES.split(",") for mshrs in MSHRS.split(",")]
        loop = "".join(f"{weir} run {w} -i {args.input} -g {args.gpu} -S {s} --set l1.size={size} --set l1.mshr_entries={mshrs} --threads 1 -q "
                       f"--no-provenance --json {i}.json\n" for i, (w, s, size, mshrs) in enumerate(points))
        (folder / "loop.sh").write_text("set -e\n" + loop, encoding="utf-8")
        sweep = [weir, "sweep", *args.workloads.split(","), "-i", args.input, "-g", args.gpu, "-S", args.schemes,
                 "--set", f"l1.size={SIZES}", "--set", f"l1.mshr_entries={MSHRS}", "--store", "s.db"]
        sweep_s, sweep_cpu = timed(lambda: subprocess.run(sweep, cwd=folder, check=True))
        loop_s, loop_cpu = timed(lambda: subprocess.run(["sh", "loop.sh"], cwd=folder, check=True))
        store = sqlite3.connect(folder / "s.db")
        kept = {row[:2] + tuple(map(int, row[2:4])): row[4] for row in store.execute(
            "SELECT workload, scheme, a.value, b.value, [cycles] FROM run_results AS r JOIN settings AS a ON a.run = r.run AND a.key = "
            "'l1.size' JOIN settings AS b ON b.run = r.run AND b.key = 'l1.mshr_entries' WHERE status = 'ok'")}
        wrong = 0
        for i, (w, s, size, mshrs) in enumerate(points):
            run = json.loads((folder / f"{i}.json").read_text())["runs"][0]
            cycles = sum(launch["timing"]["cycles"] for launch in run["launches"])
            wrong += kept.get((w, s, int(size[:-1]) * 1024, int(mshrs))) != cycles
        print(f"{len(points)} points, input {args.input}, {args.gpu}: loop {loop_s:.1f} s ({loop_cpu:.1f} s of processor), "
              f"sweep {sweep_s:.1f} s ({sweep_cpu:.1f} s): {loop_s / sweep_s:.2f} times as fast; {wrong} points differ")
        sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
