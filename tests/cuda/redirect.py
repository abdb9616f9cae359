#!/usr/bin/env python3
"""Runs imitations of programs that have the CUDA runtime linked into them, with libweir_static.so preloaded.

    tests/cuda/redirect.py FOLDER [--preload LIBRARY] WHAT... -- PROGRAM [ARGUMENT]

FOLDER holds the libraries (build/cuda). WHAT is the number that the runtime's version must be (the calls arrived at weir's library), or
texts that must be on stderr (the calls were not redirected, and each function answers -1, as in the file).
"""
import os
import subprocess
import sys

REDIRECTED = "version {0}, status 0\nlast error 0\ncopied 0, sum 2160\nfreed 0\n"
LEFT_ALONE = "version 0, status -1\nlast error -1\n"


def main():
    split = sys.argv.index("--")
    folder, *wanted = sys.argv[1:split]
    command = sys.argv[split + 1:]
    preload = os.path.join(os.path.abspath(folder), "libweir_static.so")
    env = dict(os.environ, LC_ALL="C")
    env.pop("WEIR_SOCKET", None)
    if wanted[0] == "--preload":
        preload = f"{wanted[1]}:{preload}"
        env["ASAN_OPTIONS"] = env.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
        wanted = wanted[2:]
    env["LD_PRELOAD"] = preload
    done = subprocess.run(command, env=env, capture_output=True, stdin=subprocess.DEVNULL, text=True, check=False)
    is_redirected = wanted[0].isdigit()
    if is_redirected:
        n = 3 if len(command) > 1 else 1
        right = done.stdout == REDIRECTED.format(wanted[0]) * n and done.returncode == 0 and not done.stderr
    else:
        right = done.stdout == LEFT_ALONE and done.returncode == 1 and all(text in done.stderr for text in wanted if text)
        if wanted == [""]:
            right = right and not done.stderr
    if not right:
        sys.exit(f"exit {done.returncode}\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    main()
