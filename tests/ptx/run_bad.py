#!/usr/bin/env python3
"""Bad PTX and what 'weir lint' says about it.

    tests/ptx/run_bad.py PROGRAM [--bless]

For every bad/NAME.ptx the program must exit with 2, print nothing to stdout, and print bad/NAME.err to stderr.
--bless writes the expected files of cases that differ: read the diff before committing it.
"""
import difflib
import pathlib
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent / "bad"


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    bless = "--bless" in sys.argv[2:]
    cases = sorted(FOLDER.glob("*.ptx"))
    failed = 0
    for case in cases:
        done = subprocess.run([program, "lint", case.name], cwd=FOLDER, capture_output=True, timeout=60, check=False)
        golden = case.with_suffix(".err")
        got = done.stderr.decode("utf-8", "backslashreplace")
        want = golden.read_text(encoding="utf-8") if golden.exists() else ""
        if done.returncode == 2 and not done.stdout and got == want:
            continue
        if bless and done.returncode == 2:
            golden.write_text(got, encoding="utf-8")
            continue
        failed += 1
        print(f"{case.name}: exit code {done.returncode}")
        sys.stdout.writelines(difflib.unified_diff(want.splitlines(True), got.splitlines(True), golden.name, "got"))
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
