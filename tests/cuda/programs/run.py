#!/usr/bin/env python3
"""Runs one of the CUDA test programs on the stand-in libraries.

    tests/cuda/programs/run.py FOLDER NAME [--bless]

FOLDER holds the stand-ins (build/cuda). bin/NAME.xz is the program, as build.sh left it; expected/NAME.txt is what it must
print on stdout, and in a last line `exit N` its exit code. The expected files were made on a real GPU (see README.md):
--bless is for programs that cannot have one.
"""
import difflib
import lzma
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
LIMIT_S = 120


def run(name, libraries):
    """What the program printed and its exit code, in the form of an expected file; and its stderr."""
    with tempfile.TemporaryDirectory() as scratch:
        program = pathlib.Path(scratch, name)
        program.write_bytes(lzma.decompress((HERE / "bin" / f"{name}.xz").read_bytes()))
        program.chmod(0o755)
        env = dict(os.environ, LD_LIBRARY_PATH=libraries, LC_ALL="C")
        env.pop("WEIR_SOCKET", None)
        done = subprocess.run([program], cwd=HERE, env=env, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=LIMIT_S, check=False)
    out = done.stdout.decode("utf-8", "backslashreplace")
    return f"{out}exit {done.returncode}\n", done.stderr.decode("utf-8", "backslashreplace")


def main():
    words = [w for w in sys.argv[1:] if w != "--bless"]
    if len(words) != 2:
        sys.exit(__doc__)
    libraries, name = words
    expected = HERE / "expected" / f"{name}.txt"
    got, errors = run(name, os.path.abspath(libraries))
    if "--bless" in sys.argv:
        expected.write_text(got, encoding="utf-8")
        return
    wanted = expected.read_text(encoding="utf-8")
    if got != wanted:
        sys.stdout.writelines(difflib.unified_diff(wanted.splitlines(True), got.splitlines(True), "expected", "got"))
        sys.stdout.write(errors)
        sys.exit(1)


if __name__ == "__main__":
    main()
