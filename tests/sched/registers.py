#!/usr/bin/env python3
"""Registers per thread of the kernels of this folder: as ptxas counts them, and as weir estimates them.

    registers.py ask                           asks ptxas for sm_75, sm_80 and sm_90, writes data/registers.tsv
    registers.py compare ESTIMATE              prints how far the program ESTIMATE (estimate.c) is off, as in README.md
    registers.py compare ESTIMATE --check      fails if README.md has other figures
"""
import argparse
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
DATA = HERE / "data" / "registers.tsv"
TARGETS = ("sm_75", "sm_80", "sm_90")


def ask_one(ptx, target):
    """{kernel: registers}; the text is that for compute_90, with another target in its head."""
    text = re.sub(r"^\.target sm_\d+", f".target {target}", ptx.read_text(encoding="utf-8"), flags=re.MULTILINE)
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "one.ptx"
        file.write_text(text, encoding="utf-8")
        said = subprocess.run(["ptxas", f"-arch={target}", "-O3", "-v", "-o", f"{folder}/one.cubin", file], check=True,
                              stderr=subprocess.PIPE, text=True).stderr
    out, kernel = {}, None
    for row in said.splitlines():
        if m := re.search(r"Compiling entry function '([^']+)'", row):
            kernel = m.group(1)
        elif kernel and (m := re.search(r"Used (\d+) registers", row)):
            out[kernel] = int(m.group(1))
    return out


def ask():
    version = re.search(r"V([\d.]+)", subprocess.run(["ptxas", "--version"], check=True, stdout=subprocess.PIPE,
                                                     text=True).stdout).group(1)
    rows = [f"# ptxas {version} -O3 -v -arch=TARGET, of the texts in this folder with .target TARGET",
            "\t".join(("file", "kernel") + TARGETS)]
    for ptx in sorted(HERE.glob("*.ptx")):
        found = [ask_one(ptx, t) for t in TARGETS]
        rows += ["\t".join([ptx.name, k] + [str(f[k]) for f in found]) for k in sorted(found[0])]
    DATA.parent.mkdir(exist_ok=True)
    DATA.write_text("\n".join(rows) + "\n", encoding="utf-8")
    print(f"{len(rows) - 2} kernels")


def read_counted():
    rows = [r.split("\t") for r in DATA.read_text(encoding="utf-8").splitlines() if not r.startswith("#")]
    return {(r[0], r[1]): [int(v) for v in r[2:]] for r in rows[1:]}


def estimates(program):
    said = subprocess.run([program] + sorted(HERE.glob("*.ptx")), check=True, stdout=subprocess.PIPE, text=True).stdout
    return {(f, k): int(v) for f, k, v in (row.split("\t") for row in said.splitlines())}


def table(program):
    counted, here = read_counted(), estimates(program)
    if set(counted) != set(here):
        sys.exit("registers.py: data/registers.tsv has other kernels than the PTX: run registers.py ask")
    out = ["| | " + " | ".join(TARGETS) + " |", "| --- |" + " ---: |" * len(TARGETS)]

    def row(name, of):
        out.append(f"| {name} | " + " | ".join(of(t) for t in range(len(TARGETS))) + " |")

    def percent(t, keys):
        return [100 * (here[k] - counted[k][t]) / counted[k][t] for k in keys]

    keys = sorted(counted)
    row("mean size of error", lambda t: f"{statistics.mean(map(abs, percent(t, keys))):.1f} %")
    row("mean error", lambda t: f"{statistics.mean(percent(t, keys)):.1f} %")
    row("mean size in registers", lambda t: f"{statistics.mean(abs(here[k] - counted[k][t]) for k in keys):.1f}")
    row("kernels within 10 %", lambda t: str(sum(abs(p) <= 10 for p in percent(t, keys))))
    for file in sorted({f for f, _ in keys}):
        some = [k for k in keys if k[0] == file]
        row(f"size of error, {file} ({len(some)})", lambda t, s=some: f"{statistics.mean(map(abs, percent(t, s))):.1f} %")
    worst = sorted(keys, key=lambda k: -abs(here[k] - counted[k][2]))[:16]
    out += ["", "Furthest off, of sm_90: " + ", ".join(f"{k} {here[f, k]} ({counted[f, k][2]})" for f, k in worst) + "."]
    return "\n".join(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("ask")
    p = commands.add_parser("compare")
    p.add_argument("estimate")
    p.add_argument("--check", action="store_true")
    args = parser.parse_args()
    if args.command == "ask":
        ask()
        return
    text = table(args.estimate)
    if not args.check:
        print(text)
    elif "\n".join(text.splitlines()[:-2]) not in (HERE / "README.md").read_text(encoding="utf-8"):
        sys.exit(f"registers.py: README.md has other figures than these:\n{text}")


if __name__ == "__main__":
    main()
