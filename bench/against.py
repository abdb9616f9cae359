#!/usr/bin/env python3
"""Speed against another build: bench/against.py OLD NEW [--times N | --instructions] [--gpu NAME,NAME] [WORKLOAD ...]

OLD and NEW are two weir programs. Each workload is executed, and its recorded trace replayed on each
machine, by both in turn N times; CPU time of one thread. The host's speed drifts by more than what is to
be measured, so only runs next to one another are compared: the ratio of minima, and of medians. Below 1:
NEW is faster. A machine that NEW has under another name is given as OLD:NEW (fermi-s3:fermi-s3-v0).

--instructions counts those that both execute, with valgrind (30 times slower): it knows nothing of waiting
for memory, but the same count comes on any host, however busy.
"""
import argparse
import concurrent.futures
import math
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile


def cpu_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def compare(old, new, times):
    """Seconds of both; who goes first changes."""
    seconds = ([], [])
    for i in range(times):
        for k in (0, 1) if i % 2 == 0 else (1, 0):
            seconds[k].append(cpu_seconds((old, new)[k]))
    return seconds


def instructions(command):
    done = subprocess.run(["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", *command],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True)
    return int(re.search(r"I\s+refs:\s+([\d,]+)", done.stderr).group(1).replace(",", ""))


def count(kind, jobs):
    print(f"{kind}\nworkload       old 10^6   new 10^6  new/old of instructions")
    ratios = []
    with concurrent.futures.ThreadPoolExecutor(2) as both:
        for name, *commands in jobs:
            old, new = both.map(instructions, commands)
            ratios.append(new / old)
            print(f"{name:<14} {old / 1e6:8.0f} {new / 1e6:10.0f} {ratios[-1]:24.3f}", flush=True)
    print(f"geometric mean {geometric_mean(ratios):43.3f}\n", flush=True)


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def measure(kind, jobs, times):
    print(f"{kind}\nworkload         old s   new s  new/old of minima  of medians")
    minima, medians = [], []
    for name, old, new in jobs:
        a, b = compare(old, new, times)
        minima.append(min(b) / min(a))
        medians.append(statistics.median(b) / statistics.median(a))
        print(f"{name:<14} {min(a):7.3f} {min(b):7.3f} {minima[-1]:18.3f} {medians[-1]:11.3f}", flush=True)
    print(f"geometric mean {geometric_mean(minima):34.3f} {geometric_mean(medians):11.3f}\n", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("workload", nargs="*", help="built-in workloads (default: all)")
    parser.add_argument("--times", type=int, default=5, help="runs of each (default 5)")
    parser.add_argument("--gpu", default="fermi-s3,v100-cfg", help="machines (default fermi-s3,v100-cfg)")
    parser.add_argument("--instructions", action="store_true", help="count instructions instead of time")
    args = parser.parse_intermixed_args()
    def look(kind, jobs):
        return count(kind, jobs) if args.instructions else measure(kind, jobs, args.times)

    if args.times < 1:
        parser.error("--times must be at least 1")
    listed = subprocess.run([args.old, "list", "workloads"], capture_output=True, text=True, check=True).stdout
    names = args.workload or [line.split()[0] for line in listed.splitlines() if "bench" in line.split("  ", 1)[-1]]
    with tempfile.TemporaryDirectory() as folder:
        look("executing", [(w, *([p, "run", w, "-q", "--input", "bench"] for p in (args.old, args.new))) for w in names])
        traces = {w: os.path.join(folder, w + ".wtrace") for w in names}
        for w in names: # by the older one: both can read it
            subprocess.run([args.old, "record", "-q", "-o", traces[w], w], check=True, stdout=subprocess.DEVNULL)
        for gpu in args.gpu.split(","):
            both = (gpu.split(":")[0], gpu.split(":")[-1])
            look("replaying on " + gpu,
                 [(w, *([p, "replay", traces[w], "-q", "--gpu", g, "--threads", "1"]
                        for p, g in zip((args.old, args.new), both))) for w in names])


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as e:
        sys.exit(f"{' '.join(e.cmd)}: exit {e.returncode}\n{(e.stderr or b'').decode(errors='replace')}")
