#!/usr/bin/env python3
"""Ctrl-C ends a comparison with the rows that are finished, and leaves nothing behind.

    tests/cli/interrupt.py PROGRAM
"""
import os
import pty
import re
import select
import subprocess
import sys
import tempfile
import time

LIMIT_S = 90
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


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as scratch:
        trace, temporary, csv = (os.path.join(scratch, name) for name in ("short.wtrace", "tmp", "o.csv"))
        os.mkdir(temporary)
        subprocess.run([program, "record", "-q", "-o", trace, "vecadd", "--input", "profile"], check=True)
        pid, master = pty.fork()
        if pid == 0:
            os.environ["TMPDIR"] = temporary
            os.execv(program, [program, "compare", trace, "matmul-naive", "--input", "bench", "--schemes", "baseline,tsc+",
                               "--jobs", "1", "--csv", csv])
        end = time.time() + LIMIT_S
        before = read_until(master, PROGRESS.search, end)
        if not PROGRESS.search(before):
            sys.exit(f"no line of progress in:\n{before}")
        os.write(master, b"\x03")
        after = read_until(master, lambda seen: False, end)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        rows = open(csv, encoding="utf-8").read().splitlines()
        checks = {
            "exit code 130": code == 130,
            "a finished row": re.search(r"short\.wtrace +1\.000 +\d\.\d+ ", after),
            "a row that is missing": re.search(r"matmul-naive +- +- +-", after),
            "means over one workload": "baseline 1 of 2, tsc+ 1 of 2" in after,
            "the count": "interrupted: 2 of 4 runs ended" in after,
            "finished and missing rows in the CSV": [r.split(",")[4] for r in rows[1:]] == ["ok"] * 2 + ["missing"] * 2,
            "no temporary files": not os.listdir(temporary),
        }
    failed = [name for name, good in checks.items() if not good]
    if failed:
        sys.exit(f"not so: {', '.join(failed)} (exit code {code})\n{before}\n{after}")
    print(PROGRESS.search(before).group(0))


main()
