#!/usr/bin/env python3
"""Texture reads that stand in front of the first use of one: weir's order (sched.textures) beside machine code's.

    textures.py SCHED_ORDER     the program made of order.c; the data are sm_90.tsv beside this

One fewer is allowed: registers end it a little sooner here (tex_quads)."""
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def main():
    out = subprocess.run([sys.argv[1], "textures=true", HERE / "textures.ptx"], capture_output=True, text=True, check=True)
    ours = {}
    for line in out.stdout.splitlines():
        _, kernel, _, _, _, _, reads, ahead = line.split("\t")
        ours[kernel] = (int(reads), int(ahead))
    wrong = 0
    for line in (HERE / "sm_90.tsv").read_text(encoding="utf-8").splitlines():
        if line.startswith(("#", "kernel")):
            continue
        kernel, reads, ahead = line.split("\t")
        is_right = ours[kernel][0] == int(reads) and 0 <= int(ahead) - ours[kernel][1] <= 1
        wrong += not is_right
        print(f"{kernel:<16} {reads:>3} reads, ahead {ahead:>3}, here {ours[kernel][1]:>3}{'' if is_right else '  WRONG'}")
    still = subprocess.run([sys.argv[1], HERE / "textures.ptx"], capture_output=True, text=True, check=True).stdout
    if any(int(line.split("\t")[6]) > 4 for line in still.splitlines()):
        print("without sched.textures they move all the same")
        wrong += 1
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
