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


def is_number(v, kinds=(int, float)):
    return isinstance(v, kinds) and not isinstance(v, bool)


def check_event(e):
    assert e.get("ph") in KEYS, e
    keys = KEYS[e["ph"]]
    assert keys <= e.keys() <= keys | {"args"}, e
    assert all(is_number(e[k], int) and e[k] >= 0 for k in ("pid", "tid")) and isinstance(e["name"], str) and e["name"], e
    assert e["pid"] != 0, e
    assert all(is_number(e[k]) and e[k] >= 0 and abs(e[k] * 1000 - cycles(e[k])) < 1e-3 for k in ("ts", "dur") if k in e), e
    assert isinstance(e.get("args", {}), dict), e
    if e["ph"] == "M":
        assert e["name"] in NAMED, e
        key = "name" if e["name"].endswith("_name") else "sort_index"
        assert list(e["args"]) == [key] and is_number(e["args"][key], int) == (NAMED[e["name"]] is int), e
        assert isinstance(e["args"][key], NAMED[e["name"]]), e
    elif e["ph"] == "C":
        assert list(e["args"]) == ["value"] and is_number(e["args"]["value"], int) and e["args"]["value"] >= 0, e
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


def check_whole(whole):
    assert set(whole) == {"displayTimeUnit", "otherData", "traceEvents"} and whole["displayTimeUnit"] == "ns"
    for e in whole["traceEvents"]:
        check_event(e)
    check_order(whole["traceEvents"])
    said = [(e["pid"], e["tid"] if e["name"].startswith("thread") else 0, e["name"]) for e in whole["traceEvents"] if e["ph"] == "M"]
    assert len(said) == len(set(said)), "said twice"
    processes = {pid for pid, _, name in said if name == "process_name"}
    threads = {(pid, tid) for pid, tid, name in said if name == "thread_name"}
    for e in whole["traceEvents"]:
        assert e["pid"] in processes, e
        assert e["ph"] != "X" or (e["pid"], e["tid"]) in threads, e


def check_file(path):
    with open(path, encoding="utf-8") as f:
        whole = json.load(f)
    check_whole(whole)
    return whole


def check_refusals(whole):
    """The check itself: a file in which one thing is wrong does not pass."""
    def first(ph, name=None):
        return next(i for i, e in enumerate(whole["traceEvents"]) if e["ph"] == ph and name in (None, e["name"]))
    slices = [i for i, e in enumerate(whole["traceEvents"]) if e["ph"] == "X" and e["pid"] != 1]
    changes = [(at, key, value)
               for at, key, values in ((slices[0], "ph", ("B", None)), (slices[0], "name", ("sleeps", 5)), (slices[0], "pid", (0, "1", True, 77)),
                                       (slices[0], "tid", (-1, 1.5, 7777)), (slices[0], "ts", (-1, "0", True, 0.0005)),
                                       (slices[0], "dur", (0, -1, None, 1e9)), (slices[0], "args", (5,)), (slices[0], "cat", ("x",)),
                                       (slices[-1], "ts", (0,)), (first("C"), "args", ({}, {"value": 1.5}, {"value": -1}, {"other": 1})),
                                       (first("C"), "ts", (1e9, -1)), (first("C"), "dur", (1,)), (first("M", "process_name"), "args", ({"name": 5}, {})),
                                       (first("M", "process_name"), "name", ("process_title", "thread_name")),
                                       (first("M", "process_sort_index"), "args", ({"sort_index": "1"}, {"sort_index": True})))
               for value in values]
    for at, key, value in changes:
        broken = dict(whole, traceEvents=list(whole["traceEvents"]))
        broken["traceEvents"][at] = dict(whole["traceEvents"][at], **{key: value})
        try:
            check_whole(broken)
        except AssertionError:
            continue
        sys.exit(f"not refused: {key} {value!r} of {whole['traceEvents'][at]}")
    for key in ("ph", "pid", "tid", "ts", "dur", "name"):
        broken = dict(whole, traceEvents=list(whole["traceEvents"]))
        broken["traceEvents"][slices[0]] = {k: v for k, v in whole["traceEvents"][slices[0]].items() if k != key}
        try:
            check_whole(broken)
        except AssertionError:
            continue
        sys.exit(f"not refused: a slice without {key}")
    print(f"{len(changes) + 6} broken files refused")


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
            if "bfs" == what[0]:
                check_refusals(whole)
            names = {e["name"] for e in whole["traceEvents"]}
            assert {"load", "issued", "MSHRs", "L1 misses"} <= names, names
            assert ("dynamic" in what) == any(n.startswith("coordinated.") for n in names), names
        done = run(program, "bfs", "--input", "test", "--gpu", "fermi-s3", "--timeline", "small", "--timeline-every", "1", "--timeline-limit", "100K")
        assert "the timeline is full" in done.stderr and 80000 < os.path.getsize("small") <= 102400, os.path.getsize("small")
        assert not check_file("small")["otherData"]["is_complete"]


if __name__ == "__main__":
    main()
