#!/usr/bin/env python3
"""Runs one of the CUDA test programs on the stand-in libraries.

    tests/cuda/programs/run.py FOLDER NAME [--preload LIBRARY] [--weir PROGRAM] [--bless]
    tests/cuda/programs/run.py --list

FOLDER holds the stand-ins (build/cuda). bin/NAME.xz is the program, as build.sh left it; expected/NAME.txt is what it must
print on stdout, and in a last line `exit N` its exit code. The expected files come from a GPU (see README.md); --bless writes
one from what was printed here. With --weir it is run by `weir run --check`, which times its kernels: they must be in the report.
"""
import argparse
import difflib
import lzma
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
LIMIT_S = 3600  # of one that waits for ever; tools/test.sh stops one that computes for ever


def run(name, libraries, preload, weir):
    """What the program printed and its exit code, in the form of an expected file; and its stderr."""
    env = dict(os.environ, LD_LIBRARY_PATH=os.path.abspath(libraries), LC_ALL="C")
    env.pop("WEIR_SOCKET", None)
    if weir:
        env["WEIR_CUDA"] = env.pop("LD_LIBRARY_PATH")
    if preload:
        # Test programs leave freeing their memory to the system.
        env.update(LD_PRELOAD=preload, ASAN_OPTIONS=env.get("ASAN_OPTIONS", "") + ":detect_leaks=0")
    if name.startswith(("rt_static_", "app_static_")) and not weir:
        static = os.path.join(os.path.abspath(libraries), "libweir_static.so")
        env["LD_PRELOAD"] = f"{preload}:{static}" if preload else static
    with tempfile.TemporaryDirectory() as scratch:
        program = pathlib.Path(scratch, name)
        program.write_bytes(lzma.decompress((HERE / "bin" / f"{name}.xz").read_bytes()))
        program.chmod(0o755)
        command = [weir, "run", "--check", "--"] if weir else []
        done = subprocess.run(command + [program], cwd=scratch, env=env, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=LIMIT_S, check=False)
    out = done.stdout.decode("utf-8", "backslashreplace")
    return f"{out}exit {done.returncode}\n", done.stderr.decode("utf-8", "backslashreplace")


def main():
    if sys.argv[1:] == ["--list"]:
        print("\n".join(sorted(file.stem for file in (HERE / "bin").glob("*.xz"))))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("name")
    parser.add_argument("--preload")
    parser.add_argument("--weir")
    parser.add_argument("--bless", action="store_true")
    args = parser.parse_args()
    expected = HERE / "expected" / f"{args.name}.txt"
    weir = os.path.abspath(args.weir) if args.weir else None
    got, errors = run(args.name, args.folder, args.preload, weir)
    if weir and "machine v100, scheme baseline" not in errors:
        sys.exit(f"no report of what was timed in:\n{errors}")
    if args.bless:
        expected.write_text(got, encoding="utf-8")
        return
    wanted = expected.read_text(encoding="utf-8")
    if got != wanted:
        sys.stdout.writelines(difflib.unified_diff(wanted.splitlines(True), got.splitlines(True), "expected", "got"))
        sys.stdout.write(errors)
        sys.exit(1)


if __name__ == "__main__":
    main()
