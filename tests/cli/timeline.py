#!/usr/bin/env python3
"""weir run --timeline: the file is what the documentation of trace events asks for, says what the statistics say, and
is the same for any number of threads; results are the same with and without.

    tests/cli/timeline.py PROGRAM
"""
import json
import os
import subprocess
import sys
import tempfile

LOOKS = {"issued", "ready", "load", "dependency", "LD/ST", "unit", "barrier", "fence", "gate"}
COUNTED = {"warp instructions": ("sm", ["warp_insns"]), "L1 hits": ("l1", ["hits"]),
           "L1 misses": ("l1", ["misses"]), "L1 bypasses": ("l1", ["bypassed"])}
# What each kind of event has, by the format's documentation: ts and dur in microseconds, every event a pid and a tid.
KEYS = {"M": {"ph", "pid", "tid", "name", "args"}, "C": {"ph", "pid", "tid", "ts", "name", "args"},
        "X": {"ph", "pid", "tid", "ts", "dur", "name"}}
NAMED = {"process_name": str, "thread_name": str, "process_sort_index": int, "thread_sort_index": int}


def run(program, *arguments):
    done = subprocess.run([program, "run", *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"run {' '.join(arguments)} ended with {done.returncode}\n{done.stderr}")
    return done


def cycles(time):
    """Times are written in microseconds; a nanosecond is a cycle."""
    return round(time * 1000)


def check_event(e):
    keys = KEYS[e["ph"]]
    assert keys <= e.keys() <= keys | {"args"}, e
    assert all(isinstance(e[k], int) and e[k] >= 0 for k in ("pid", "tid")) and isinstance(e["name"], str), e
    assert e["pid"] != 0, e
    if e["ph"] == "M":
        value = e["args"]["name" if e["name"].endswith("_name") else "sort_index"]
        assert len(e["args"]) == 1 and isinstance(value, NAMED[e["name"]]), e
    elif e["ph"] == "C":
        assert list(e["args"]) == ["value"] and isinstance(e["args"]["value"], int) and e["args"]["value"] >= 0, e
    else:
        assert e["dur"] > 0 and (e["pid"] == 1 or e["name"] in LOOKS), e


def check_order(events):
    """Slices of a track follow one another, and so do the values of a counter."""
    ends = {}
    for e in events:
        if e["ph"] == "M":
            continue
        track = (e["ph"], e["pid"], e["tid"], e["name"] if e["ph"] == "C" else "")
        begin = cycles(e["ts"])
        assert begin >= ends.get(track, 0), (track, e)
        ends[track] = begin + (cycles(e["dur"]) if e["ph"] == "X" else 0)


def check_file(path):
    with open(path, encoding="utf-8") as f:
        whole = json.load(f)
    assert set(whole) == {"displayTimeUnit", "otherData", "traceEvents"} and whole["displayTimeUnit"] == "ns"
    for e in whole["traceEvents"]:
        check_event(e)
    check_order(whole["traceEvents"])
    named = {(e["pid"], e["tid"]) for e in whole["traceEvents"] if e["name"] in ("process_name", "thread_name")}
    for e in whole["traceEvents"]:
        assert (e["pid"], e["tid"]) in named, e
    return whole


def sum_of(whole, pid, name):
    """A counter that is shown by interval, over all intervals."""
    every, total = whole["otherData"]["cycles_between_samples"], 0
    kernels = [(cycles(e["ts"]), cycles(e["ts"]) + cycles(e["dur"])) for e in whole["traceEvents"] if e["ph"] == "X" and e["pid"] == 1]
    values = [(cycles(e["ts"]), e["args"]["value"]) for e in whole["traceEvents"] if (e["ph"], e["pid"], e["name"]) == ("C", pid, name)]
    for begin, end in kernels:
        for at in range(begin, end, every):
            before = [v for t, v in values if begin <= t <= at]
            total += before[-1] if before else 0
    return total


def check_numbers(whole, report):
    """What the timeline shows is what is counted."""
    launches = [launch for r in report["runs"] for launch in r["launches"]]
    kernels = [e for e in whole["traceEvents"] if e["ph"] == "X" and e["pid"] == 1]
    assert [cycles(e["dur"]) for e in kernels] == [launch["timing"]["cycles"] for launch in launches]
    for pid in {e["pid"] for e in whole["traceEvents"]} - {1}:
        for name, (group, keys) in COUNTED.items():
            counted = sum(launch["timing"]["per_sm"][group][k][pid - 2] for launch in launches for k in keys)
            assert sum_of(whole, pid, name) == counted, (pid, name, counted, sum_of(whole, pid, name))


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        for what in (["bfs", "--input", "test", "--gpu", "fermi-s3", "--timeline-sms", "0,2-3", "--timeline-every", "50"],
                     ["gather", "--input", "profile", "--gpu", "fermi-s4", "--scheme", "dynamic", "--timeline-every", "500"],
                     ["vecadd", "bfs", "--input", "test", "--gpu", "v100", "--timeline-sms", "1"]):
            options = [o for o in what if not o.startswith("--timeline")]
            plain = ["0,2-3", "50", "500", "1"]
            run(program, *[o for o in options if o not in plain], "--per-sm", "--no-provenance", "--json", "plain.json")
            for threads in ("1", "2", "4"):
                run(program, *what, "--per-sm", "--no-provenance", "--threads", threads, "--json", f"{threads}.json", "--timeline",
                    f"{threads}.trace")
            plain = open("plain.json", "rb").read()
            first = open("1.trace", "rb").read()
            for threads in ("1", "2", "4"):
                assert open(f"{threads}.json", "rb").read() == plain, f"{what}: other results with a timeline, {threads} threads"
                assert open(f"{threads}.trace", "rb").read() == first, f"{what}: another timeline with {threads} threads"
            whole = check_file("1.trace")
            check_numbers(whole, json.loads(plain))
            names = {e["name"] for e in whole["traceEvents"]}
            assert {"load", "issued", "MSHRs", "L1 misses"} <= names, names
            assert ("dynamic" in what) == any(n.startswith("coordinated.") for n in names), names
        done = run(program, "bfs", "--input", "test", "--gpu", "fermi-s3", "--timeline", "small", "--timeline-every", "1", "--timeline-limit", "100K")
        assert "the timeline is full" in done.stderr and 80000 < os.path.getsize("small") <= 102400, os.path.getsize("small")
        assert not check_file("small")["otherData"]["is_complete"]


if __name__ == "__main__":
    main()
