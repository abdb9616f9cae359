#!/usr/bin/env python3
"""A timeline in Perfetto's own trace processor: it reads all of it without an error, and answers what the events say, by the
query that docs/timeline.md gives. Skipped (77) where WEIR_PERFETTO names no folder with its build, or there is no node;
docs/timeline.md says where one is found.

    tests/cli/perfetto.py PROGRAM SOURCE
"""
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

FILES = ("trace_processor.wasm", "engine_bundle.node.js", "engine.mjs")
HERE = pathlib.Path(__file__).resolve().parent


def ask(folder, trace, sql):
    done = subprocess.run(["node", HERE / "perfetto.mjs", folder, trace, sql], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{sql}\n{done.stderr}")
    return json.loads(done.stdout)


def cycles(time):
    return round(time * 1000)


def main():
    folder = os.environ.get("WEIR_PERFETTO", "")
    if not folder or not all((pathlib.Path(folder) / f).exists() for f in FILES) or not shutil.which("node"):
        print("WEIR_PERFETTO names no folder with", ", ".join(FILES), "or there is no node")
        sys.exit(77)
    page = pathlib.Path(sys.argv[2], "docs/timeline.md").read_text(encoding="utf-8")
    query = " ".join(line.strip() for line in re.search(r"((?:^    .*\n)+)", page[page.index("    SELECT"):], flags=re.M)[1].split("\n"))
    with tempfile.TemporaryDirectory() as scratch:
        trace = os.path.join(scratch, "t.json")
        subprocess.run([sys.argv[1], "run", "bfs", "gather", "--input", "test", "--gpu", "fermi-s3", "--timeline-sms", "0-1", "--timeline-every", "50",
                        "--timeline", trace, "-q"], check=True)
        with open(trace, encoding="utf-8") as f:
            events = json.load(f)["traceEvents"]
        names = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
        sums, counters = collections.Counter(), collections.Counter()
        for e in events:
            if e["ph"] == "X":
                sums[e["name"]] += cycles(e["dur"])
            elif e["ph"] == "C":
                counters[names[e["pid"]], e["name"] + " value"] += e["args"]["value"]
        errors = ask(folder, trace, "SELECT name, value FROM stats WHERE value > 0 AND severity != 'info'")
        assert errors == [], errors
        answer = {r["name"]: r["cycles"] for r in ask(folder, trace, query)}
        assert answer == dict(sums) and len(answer) > 4, (answer, sums)
        rows = ask(folder, trace, "SELECT process.name AS process, t.name AS name, CAST(SUM(value) AS INT) AS total FROM counter JOIN process_counter_track t "
                   "ON counter.track_id = t.id JOIN process USING (upid) GROUP BY process.name, t.name")
        assert {(r["process"], r["name"]): r["total"] for r in rows} == dict(counters), (rows, counters)
        tracks = {(r["process"], r["thread"]) for r in ask(folder, trace, "SELECT process.name AS process, thread.name AS thread FROM thread_track JOIN thread "
                                                                           "USING (utid) JOIN process USING (upid)")}
        assert {p for p, _ in tracks} == set(names.values()), (tracks, names)
    print(f"{len(events)} events: {len(answer)} kinds of slices and {len(rows)} counters are what they should be")


if __name__ == "__main__":
    main()
