#!/usr/bin/env python3
"""Ctrl-C ends a comparison with the rows that are finished, and a classification; both leave nothing behind.

    tests/cli/interrupt.py PROGRAM SAMPLE-STORE
"""
import os
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile
import time

LIMIT_S = 3600  # for what never comes: a busy machine may take its time
PROGRESS = re.compile(r"2 of 4 runs[^\r]*: ")


def read_until(master, found, end):
    """What the terminal shows until `found` says so, or until the program ends."""
    seen = ""
    while not found(seen) and time.time() < end:
        if not select.select([master], [], [], 1)[0]:
            continue
        try:
            data = os.read(master, 4096)
        except OSError:
            break  # the program ended
        if not data:
            break
        seen += data.decode(errors="replace")
    return seen


def interrupt(command, progress, temporary):
    """Start it on a terminal, press Ctrl-C when `progress` is shown: exit code, output before and after."""
    pid, master = pty.fork()
    if pid == 0:
        os.environ["TMPDIR"] = temporary
        os.environ["WEIR_CACHE"] = ""
        os.environ["NO_COLOR"] = "1"
        os.execv(command[0], command)
    end = time.time() + LIMIT_S
    before = read_until(master, progress.search, end)
    if not progress.search(before):
        sys.exit(f"no line of progress in:\n{before}")
    os.write(master, b"\x03")
    after = read_until(master, lambda seen: False, end)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), before, after


def judge(checks, code, before, after):
    failed = [name for name, good in checks.items() if not good]
    if failed:
        sys.exit(f"not so: {', '.join(failed)} (exit code {code})\n{before}\n{after}")


def compare(program, scratch, temporary):
    trace, csv = os.path.join(scratch, "short.wtrace"), os.path.join(scratch, "o.csv")
    subprocess.run([program, "record", "-q", "-o", trace, "vecadd", "--input", "test"], check=True)
    code, before, after = interrupt([program, "compare", trace, "matmul-naive", "--input", "bench", "--schemes",
                                     "baseline,tsc+", "--jobs", "1", "--csv", csv], PROGRESS, temporary)
    rows = [row for row in open(csv, encoding="utf-8").read().splitlines() if not row.startswith("#")]
    judge({
        "exit code 130": code == 130,
        "a finished row": re.search(r"short\.wtrace +1\.000 +\d\.\d+ ", after),
        "a row that is missing": re.search(r"matmul-naive +- +- +-", after),
        "means over one workload": "baseline 1 of 2, tsc+ 1 of 2" in after,
        "the count": "interrupted: 2 of 4 runs ended" in after,
        "finished and missing rows in the CSV": [r.split(",")[4] for r in rows[1:]] == ["ok"] * 2 + ["missing"] * 2,
        "no temporary files": not os.listdir(temporary),
    }, code, before, after)
    print(PROGRESS.search(before).group(0))


def classify(program, temporary):
    """Alone, and to prepare a scheme: in the midst of the profiling runs."""
    for command in (["classify", "matmul-naive", "--input", "bench"],
                    ["advise", "matmul-naive", "--input", "bench"],
                    ["run", "vecadd", "--gpu", "fermi-s4", "--scheme", "static", "--input", "bench"],
                    ["compare", "vecadd", "--gpus", "fermi-s4", "--schemes", "baseline,static", "--input", "bench"]):
        progress = re.compile(r"recording [^\r]*|\d of \d+ profiling runs|\d+ timings, at most \d+")
        code, before, after = interrupt([program] + command, progress, temporary)
        judge({
            "exit code 130": code == 130,
            "a word about it": "interrupted" in after,
            "no temporary files": not os.listdir(temporary),
        }, code, before, after)
        print(progress.search(before).group(0))


def characterize(program, temporary):
    """In the midst of the runs for its classes."""
    code, before, after = interrupt([program, "characterize", "matmul-naive", "--input", "bench", "--classes", "--jobs", "1"],
                                    PROGRESS, temporary)
    judge({
        "exit code 130": code == 130,
        "a word about it": "interrupted" in after,
        "no tables": "what to do" not in after,
        "no temporary files": not os.listdir(temporary),
    }, code, before, after)


def query(program, sample_store, scratch):
    """In the midst of a statement that would not end, after one that has."""
    store = os.path.join(scratch, "s.db")
    subprocess.run([sample_store, store], check=True)
    endless = "SELECT 1 AS one; WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    with subprocess.Popen([program, "query", store, "--csv", endless], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as asked:
        before = asked.stdout.readline() + asked.stdout.readline()
        asked.send_signal(signal.SIGINT)
        try:
            _, after = asked.communicate(timeout=60)
        finally:
            asked.kill()
    judge({
        "exit code 130": asked.returncode == 130,
        "the first table": before == "one\n1\n",
        "a word about it": after == "weir: interrupted\n",
    }, asked.returncode, before, after)


def main():
    program, sample_store = (os.path.abspath(word) for word in sys.argv[1:3])
    with tempfile.TemporaryDirectory() as scratch:
        temporary = os.path.join(scratch, "tmp")
        os.mkdir(temporary)
        compare(program, scratch, temporary)
        classify(program, temporary)
        characterize(program, temporary)
        query(program, sample_store, scratch)


main()
