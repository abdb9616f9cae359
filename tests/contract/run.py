#!/usr/bin/env python3
"""Makes the expression kernels again and has them compared with an H200's results.

    run.py REPLAY [--literal]        REPLAY is the program made from replay.c
"""
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TRUTH = HERE / "truth.txt"


def main():
    made = re.search(r"gen\.py (\d+) (\d+) ", TRUTH.read_text())
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, HERE / "gen.py", made[1], made[2], folder], check=True)
        command = [sys.argv[1], folder, TRUTH, "--unequal", HERE / "unequal.txt"] + sys.argv[2:]
        return subprocess.run(command, check=False).returncode


sys.exit(main())
