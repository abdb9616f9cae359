#!/usr/bin/env python3
"""The scripts of examples/analysis run, and their numbers are those of 'weir show': analysis.py WEIR SAMPLE-STORE SCRIPT

Exit code 77: what the script needs is not installed.
"""
import csv
import io
import math
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77


def say(*command, code=0):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode == SKIPPED:
        print(done.stderr, end="")
        sys.exit(SKIPPED)
    if done.returncode != code:
        sys.exit(f"{command}\n  exit code {done.returncode}, not {code}\n{done.stdout}{done.stderr}")
    return done.stdout if code == 0 else done.stderr


def read(text):
    """{(keys, column): number}; None for a cell without one."""
    out = {}
    for row in csv.DictReader(io.StringIO(text)):
        row.pop("input", None)
        keys = tuple(row.pop(key) for key in ("gpu", "workload", "scheme") if key in row)
        for column, cell in row.items():
            if not column.endswith((" low", " high")):
                out[keys, column] = None if cell in ("", "NA", "failed", "refused") else float(cell)
    return out


def same(mine, theirs):
    """Every cell of both, and some of them numbers."""
    if mine.keys() != theirs.keys():
        sys.exit(f"cells of one table only: {sorted(mine.keys() ^ theirs.keys())}")
    for cell, a in mine.items():
        b = theirs[cell]
        if (a is None) != (b is None) or (a is not None and not math.isclose(a, b, rel_tol=1e-9)):
            sys.exit(f"{cell}: {a} and {b}")
    n = sum(a is not None for a in mine.values())
    print(f"{n} numbers and {len(mine) - n} empty cells agree")
    if n < 10 or n == len(mine):
        sys.exit("that is no comparison: the sample has runs that ended and some that did not")


def speedups(text):
    """Of a table with a row for each cell, as those of 'weir show'."""
    out = {}
    for row in csv.DictReader(io.StringIO(text)):
        value = row["speedup"]
        size = row.get("l1.size") or row["setting"]
        out[(row["gpu"], row["workload"]), f"{row['scheme']} l1.size={size}"] = float(value) if value not in ("", "NA") else None
    return out


def without_means(table):
    return {cell: value for cell, value in table.items() if cell[0][1] != "geometric mean"}


def main():
    weir, sample_store, script = (pathlib.Path(p).resolve() for p in sys.argv[1:])
    with tempfile.TemporaryDirectory() as scratch:
        store = pathlib.Path(scratch, "s.db")
        say(sample_store, store)
        table = read(say(weir, "show", store, "--baseline", "scheme=baseline", "--format", "csv"))
        if script.name == "speedup.py":
            command = [sys.executable, script, store, "--setting", "l1.size"]
            same(read(say(*command, "--csv")), table)
            assert "1.280" in say(*command) and "geometric mean over 1 of 3" in say(*command)
            assert "name what was swept" in say(sys.executable, script, store, code=1)
            assert "is there a scheme 'none'" in say(*command, "--baseline", "none", code=1)
        elif script.name == "sensitivity.py":
            command = [sys.executable, script, store]
            mine = read(say(*command, "l1.size", "--csv"))
            mine = {cell: value for cell, value in mine.items() if cell[1].startswith("l1.size=")}
            same(mine, read(say(weir, "show", store, "--rows", "workload,scheme", "--columns", "l1.size", "--format", "csv")))
            assert "2323255.5   -12.0\n" in say(*command, "l1.size")
            assert "another setting was swept" in say(*command, "l1.sets", code=1)
            assert "no run has the setting" in say(*command, "l1.size", "--value", "nothing", code=1)
        elif script.name == "frames.py":
            same(speedups(say(sys.executable, script, store, "--setting", "l1.size")), without_means(table))
            assert "name what was swept" in say(sys.executable, script, store, code=1)
        else:
            rscript = shutil.which("Rscript")
            if rscript is None:
                print("Rscript is not installed")
                sys.exit(SKIPPED)
            same(speedups(say(rscript, script, store, "baseline", "l1.size")), without_means(table))
            assert "name what was swept" in say(rscript, script, store, code=1)


if __name__ == "__main__":
    main()
