#!/usr/bin/env python3
"""The order that weir gives loads (sched.order=loops) beside that of machine code.

    order.py SCHED_ORDER [FILE.json[.zst]] [NAME=VALUE...]     parameters of sched, without their prefix
        -v        the loops that differ
        --judge   of the kernels in judge/ instead, which nothing was chosen by
        --check   is the table the one of docs/scheduling.md?

SCHED_ORDER is the program made of order.c; the data are sass.py's, by default data/sm_90.json.zst, or
data/judge_sm_90.json.zst. Kernels whose name's hash is even are what parameters are fitted to; the others are shown
apart; those of judge/ are one column. Loops without loads, and those that the text
forbids to unroll, are not counted among loops that are unrolled alike; loops with one load in flight here and there not
among those whose loads are ahead alike.
"""
import collections
import json
import pathlib
import subprocess
import sys
import zlib

import sass

HERE = pathlib.Path(__file__).parent
PAGE = HERE.parent.parent / "docs" / "scheduling.md"


def ours(program, settings, folder):
    """{"FILE:KERNEL": [(kind, first line, last line, unroll, loads, ahead)]}"""
    files = sorted(folder.glob("*.ptx"))
    text = subprocess.run([program, *settings, *files], check=True, stdout=subprocess.PIPE).stdout.decode()
    out = collections.defaultdict(list)
    for row in text.splitlines():
        file, kernel, kind, *numbers = row.split("\t")
        out[f"{file}:{kernel}"].append((kind, *map(int, numbers)))
    return out


def loops(kernels, found):
    """(name, loop of the PTX, kernel, its machine code's loop or None, ours) of all innermost loops with loads."""
    for name, k in sorted(kernels.items()):
        for i, ptx in enumerate(k["ptx_loops"]):
            mine = [r for r in found.get(name, []) if r[0] == "loop" and ptx["first"] <= r[1] and r[2] <= ptx["last"]]
            if len(mine) != 1 or not ptx["loads"]:
                continue
            code = [l for l in k["loops"] if l["of"] == i and l["copies"]]
            yield name, ptx, k, max(code, key=lambda l: max(l["copies"].values()), default=None), mine[0]


def is_fitted(name):
    return zlib.crc32(name.split(":")[1].encode()) % 2 == 0


def is_alike(theirs, here):
    """Machine code has 0 for straight code; more than 4 at a time is that here."""
    return theirs == here or (here > 4 and theirs > 4) or (theirs == 0 and here > 1)


class Count:
    def __init__(self):
        self.alike, self.loops, self.near, self.leads, self.error, self.misses = 0, 0, 0, 0, 0.0, []

    def add(self, name, ptx, k, code, mine):
        unroll, loads, ahead = mine[3:]
        theirs = ptx["unroll"] if code else 0
        alike = is_alike(theirs, unroll)
        where = f"{name} line {ptx['first']}"
        if not ptx["nounroll"]:
            self.loops += 1
            self.alike += alike
        if not alike:
            self.misses.append(f"{where}: x{theirs}, here x{unroll}")
        if not code or not alike:
            return
        lead, _ = sass.lead(k["blocks"], code)
        if lead <= 1 and ahead <= 1:
            return
        self.leads += 1
        self.error += abs(ahead - lead) / max(lead, 1)
        if abs(ahead - lead) <= max(1, lead // 4):
            self.near += 1
        else:
            self.misses.append(f"{where}: {lead} ahead, here {ahead} of {loads}; {k['registers']} registers")

    def rows(self):
        def share(n, of):
            return f"{n} of {of} ({100 * n / max(of, 1):.0f} %)"
        return [share(self.alike, self.loops), share(self.near, self.leads),
                f"{100 * self.error / max(self.leads, 1):.0f} %"]


def table(rows, columns, column_of):
    counts = [Count() for _ in columns]
    for row in rows:
        counts[column_of(row[0])].add(*row)
    names = ["loops unrolled as often", "loads ahead of the first use, within 1 or a quarter", "mean size of that error"]
    lines = ["| | " + " | ".join(columns) + " |", "| --- |" + " ---: |" * len(columns)]
    lines += ["| " + " | ".join(cells) + " |" for cells in zip(names, *(c.rows() for c in counts))]
    return lines, [m for c in counts for m in c.misses]


def main():
    flags = {a for a in sys.argv[1:] if a.startswith("-")}
    args = [a for a in sys.argv[1:] if a not in flags]
    if not args or flags - {"-v", "--check", "--judge"}:
        sys.exit(__doc__)
    settings = [a for a in args[1:] if "=" in a]
    judge = "--judge" in flags
    data = [a for a in args[1:] if "=" not in a] or [HERE / "data" / ("judge_sm_90.json.zst" if judge else "sm_90.json.zst")]
    kernels = json.loads(sass.read_text(data[0]))["kernels"]
    found = loops(kernels, ours(args[0], settings, HERE / "judge" if judge else HERE))
    lines, misses = table(found, ["not seen before"], lambda _: 0) if judge else table(
        found, ["chosen by", "others"], lambda name: 0 if is_fitted(name) else 1)
    print(*lines, *(misses if "-v" in flags else []), sep="\n")
    if "--check" in flags and "\n".join(lines) not in PAGE.read_text(encoding="utf-8"):
        sys.exit(f"this is not the table of {PAGE.name}")


if __name__ == "__main__":
    main()
