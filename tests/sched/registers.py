#!/usr/bin/env python3
"""Registers per thread: as ptxas counts them, and as weir estimates them.

    registers.py ask                           asks ptxas for sm_75, sm_80 and sm_90, writes data/registers*.tsv
    registers.py compare ESTIMATE              prints how far the program ESTIMATE (estimate.c) is off, as in README.md
    registers.py compare ESTIMATE --judge      of kernels that no rule was chosen by: those of judge/ and the workloads
    registers.py compare ESTIMATE --check      fails if README.md has other figures, of either
"""
import argparse
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
TARGETS = ("sm_75", "sm_80", "sm_90")
BLOCK = 256  # threads of the block that is put on an SM again and again
THREADS = {"sm_75": 1024, "sm_80": 2048, "sm_90": 2048}  # of an SM; it has 65536 registers


class Set:
    """Kernels that are judged together: {name of a file: its path}, and where ptxas's counts are."""
    def __init__(self, data, files):
        self.data, self.files = HERE / "data" / data, {f.name: f for f in sorted(files)}

    def counted(self):
        rows = [r.split("\t") for r in self.data.read_text(encoding="utf-8").splitlines() if not r.startswith("#")]
        return {(r[0], r[1]): [int(v) for v in r[2:]] for r in rows[1:]}


def sets():
    """(chosen by, judge, workloads as nvcc makes them, workloads as for a Fermi)"""
    workloads = list((HERE.parent.parent / "workloads").glob("*/*.ptx"))
    fermi = [f for f in workloads if f.name.endswith(".fermi.ptx")]
    return (Set("registers.tsv", HERE.glob("*.ptx")), Set("registers_judge.tsv", (HERE / "judge").glob("*.ptx")),
            Set("registers_workloads.tsv", set(workloads) - set(fermi)), Set("registers_fermi.tsv", fermi))


def with_target(ptx, target, folder):
    """The same text with another target in its head."""
    file = pathlib.Path(folder) / ptx.name
    text = ptx.read_text(encoding="utf-8")
    file.write_text(re.sub(r"^\.target sm_\d+", f".target {target}", text, flags=re.MULTILINE), encoding="utf-8")
    return file


def ask_one(ptx, target):
    """{kernel: registers}"""
    with tempfile.TemporaryDirectory() as folder:
        file = with_target(ptx, target, folder)
        ran = subprocess.run(["ptxas", f"-arch={target}", "-O3", "-v", "-o", f"{folder}/one.cubin", file], check=False,
                             stderr=subprocess.PIPE, text=True)
    if ran.returncode != 0:  # some texts are for one target only
        print(f"{ptx.name}: not for {target}", file=sys.stderr)
        return {}
    said, out, kernel = ran.stderr, {}, None
    for row in said.splitlines():
        if m := re.search(r"Compiling entry function '([^']+)'", row):
            kernel = m.group(1)
        elif kernel and (m := re.search(r"Used (\d+) registers", row)):
            out[kernel] = int(m.group(1))
    return out


def ask_set(one, version):
    rows = [f"# ptxas {version} -O3 -v -arch=TARGET, of the texts with .target TARGET",
            "\t".join(("file", "kernel") + TARGETS)]
    for name, ptx in one.files.items():
        found = [ask_one(ptx, t) for t in TARGETS]
        rows += ["\t".join([name, k] + [str(f[k]) for f in found]) for k in sorted(found[0]) if all(k in f for f in found)]
    one.data.parent.mkdir(exist_ok=True)
    one.data.write_text("\n".join(rows) + "\n", encoding="utf-8")
    print(f"{one.data.name}: {len(rows) - 2} kernels")


def ask():
    version = re.search(r"V([\d.]+)", subprocess.run(["ptxas", "--version"], check=True, stdout=subprocess.PIPE,
                                                     text=True).stdout).group(1)
    for one in sets():
        ask_set(one, version)


def estimates(program, one):
    """[{(file, kernel): registers}], of each target"""
    out = []
    for target in TARGETS:
        with tempfile.TemporaryDirectory() as folder:
            files = [with_target(f, target, folder) for f in one.files.values()]
            said = subprocess.run([program] + files, check=True, stdout=subprocess.PIPE, text=True).stdout
        out.append({(f, k): int(v) for f, k, v in (row.split("\t") for row in said.splitlines())})
    return out


def blocks(registers, target):
    """Blocks of BLOCK threads that an SM has registers for; a warp gets 256 at a time."""
    return min(65536 // ((registers + 7) // 8 * 8 * BLOCK), THREADS[target] // BLOCK)


class Comparison:
    def __init__(self, program, one):
        self.counted, self.here = one.counted(), estimates(program, one)
        if not set(self.counted) <= set(self.here[0]):
            sys.exit(f"registers.py: {one.data.name} has kernels that are not in the PTX: run registers.py ask")
        self.keys = sorted(self.counted)

    def error(self, t, k):
        return 100 * (self.here[t][k] - self.counted[k][t]) / self.counted[k][t]

    def size(self, t, keys=None):
        return f"{statistics.mean(abs(self.error(t, k)) for k in keys or self.keys):.1f} %"

    def mean(self, t):
        return f"{statistics.mean(self.error(t, k) for k in self.keys):.1f} %"

    def registers(self, t):
        return f"{statistics.mean(abs(self.here[t][k] - self.counted[k][t]) for k in self.keys):.1f}"

    def near(self, t):
        return str(sum(abs(self.error(t, k)) <= 10 for k in self.keys))

    def other_blocks(self, t):
        return str(sum(blocks(self.here[t][k], TARGETS[t]) != blocks(self.counted[k][t], TARGETS[t]) for k in self.keys))

    def worst(self, n):
        keys = sorted(self.keys, key=lambda k: -abs(self.here[2][k] - self.counted[k][2]))[:n]
        return "Furthest off, of sm_90: " + ", ".join(f"{k[1]} {self.here[2][k]} ({self.counted[k][2]})" for k in keys) + "."


MEASURES = (("mean size of error", Comparison.size), ("mean error", Comparison.mean),
            ("mean size in registers", Comparison.registers), ("kernels within 10 %", Comparison.near),
            (f"other number of blocks of {BLOCK}", Comparison.other_blocks))


def row(name, cells):
    return (f"| {name} " if name else "| ") + "| " + " | ".join(cells) + " |"


def table(program):
    """Of the kernels that rules were chosen by."""
    c, n = Comparison(program, sets()[0]), range(len(TARGETS))
    out = [row("", TARGETS), "| --- |" + " ---: |" * len(TARGETS)]
    out += [row(name, [measure(c, t) for t in n]) for name, measure in MEASURES]
    for file in sorted({f for f, _ in c.keys}):
        some = [k for k in c.keys if k[0] == file]
        out.append(row(f"size of error, {file} ({len(some)})", [c.size(t, some) for t in n]))
    return "\n".join(out), c.worst(16)


def judged(program):
    """Of the others, a row for each set and target."""
    out = [row("", ["kernels"] + [name for name, _ in MEASURES]), "| --- |" + " ---: |" * (len(MEASURES) + 1)]
    worst = []
    for name, one in zip(("`judge/`", "workloads", "workloads as for a Fermi"), sets()[1:]):
        c = Comparison(program, one)
        out += [row(f"{name}, {t}", [str(len(c.keys))] + [m(c, i) for _, m in MEASURES]) for i, t in enumerate(TARGETS)]
        worst.append(f"{name}: {c.worst(12)}")
    return "\n".join(out), "\n".join(worst)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("ask")
    p = commands.add_parser("compare")
    p.add_argument("estimate")
    p.add_argument("--judge", action="store_true")
    p.add_argument("--check", action="store_true")
    args = parser.parse_args()
    if args.command == "ask":
        ask()
        return
    if not args.check:
        print(*(judged if args.judge else table)(args.estimate), sep="\n\n")
        return
    page = (HERE / "README.md").read_text(encoding="utf-8")
    for found in (table(args.estimate), judged(args.estimate)):
        if found[0] not in page:
            sys.exit(f"registers.py: README.md has other figures than these:\n{found[0]}")


if __name__ == "__main__":
    main()
