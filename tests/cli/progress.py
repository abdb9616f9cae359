#!/usr/bin/env python3
"""On a terminal a long timed run says how far it is, and a comparison how many of its runs have ended.

    tests/cli/progress.py PROGRAM
"""
import os
import pty
import re
import select
import signal
import sys
import tempfile
import time

COMMANDS = {
    ("run", "matmul-naive", "--input", "bench", "--gpu", "fermi-s3"):
        re.compile(r"\w+ \w+: block \d+ of \d+ \(\d+ %\), [\d,]+ cycles, \d+\.\d\d M warp insns/s(, \d+ s left)?"),
    ("compare", "matmul-naive", "--input", "bench", "--schemes", "baseline,bypass-all", "--repeat", "3"):
        re.compile(r"\d of 6 runs[^:]*: (recording matmul-naive|matmul-naive baseline)"),
}
LIMIT_S = 3600  # for what never comes: a busy machine may take its time


def check(command, line):
    pid, master = pty.fork()
    if pid == 0:
        os.execv(sys.argv[1], [sys.argv[1], *command])
    seen, end, found = "", time.time() + LIMIT_S, None
    while found is None and time.time() < end:
        if not select.select([master], [], [], 1)[0]:
            continue
        try:
            seen += os.read(master, 4096).decode(errors="replace")
        except OSError:
            break  # the program ended
        found = line.search(seen)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    if found is None:
        sys.exit(f"no line of progress in:\n{seen}")
    print(found.group(0))


with tempfile.TemporaryDirectory() as folder:  # what is killed leaves its own there
    os.environ["TMPDIR"] = folder
    for words, pattern in COMMANDS.items():
        check(words, pattern)
