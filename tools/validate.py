#!/usr/bin/env python3
"""What a GPU counted for the workloads (tools/hw/validate.sh), how much of it is noise, and what weir says.

    tools/validate.py noise FILE ...            how far repeats of the same run lie apart, metric by metric
    tools/validate.py noise --each FILE ...     and workload by workload
    tools/validate.py noise --metric NAME ...   of some metrics only (also several times)
    tools/validate.py run                       the same launches on a simulated machine; goes on where it was stopped
    tools/validate.py table                     docs/validation.md, of what was run
    tools/validate.py check                     is that page what the stored data say? (nothing, if there is none)

FILE is a validate-CONFIG.tsv, or one packed by gzip or zstd. A value is the sum over those launches of a workload that
every repeat has, without what as many empty launches cost (--gross: with that). The spread is the largest less the
smallest of the repeats, over their median, in percent.
"""
import argparse
import collections
import gzip
import math
import pathlib
import re
import signal
import statistics
import subprocess
import sys

import validate_page
import validate_weir

ROOT = pathlib.Path(__file__).resolve().parent.parent
HARDWARE = ROOT / "tools/hw/results"
MICRO = HARDWARE / "h200.tsv.zst"
RESULTS, PAGE = ROOT / "docs/results/validation", ROOT / "docs/validation.md"
RING_LARGE = {mb << 20 for mb in (1, 2, 4, 8, 16, 24, 32, 48, 64, 80, 128, 256)}  # bytes; larger ones take minutes each

COLUMNS = ["workload", "kernel", "launch", "repeat", "metric", "value"]
EMPTY = "empty"  # the workload of launches that do nothing; its first has one block of one warp
WITH_OVERHEAD = {"us", "ns", "sm_cycles", "gpc_cycles", "inst", "l2_reads", "l2_writes", "l2_fabric", "dram_rd_sectors",
                 "dram_wr_sectors"}  # what an empty launch has, too


class Table:
    """values[workload][metric][repeat][launch]; kernels[workload][launch]; failed and wrong: {workload: text}."""

    def __init__(self, name):
        self.name, self.notes, self.counters = name, [], {}
        self.values = collections.defaultdict(lambda: collections.defaultdict(lambda: collections.defaultdict(dict)))
        self.kernels = collections.defaultdict(dict)
        self.launches = collections.defaultdict(dict)  # [workload][repeat]: all, also those without counters
        self.failed, self.wrong = {}, {}

    def workloads(self):
        return [w for w in self.values if w not in self.failed and w != EMPTY]

    def metrics(self):
        return list(dict.fromkeys(m for w in self.values for m in self.values[w]))

    def common(self, workload, metric):
        """Launches that every repeat has."""
        repeats = self.values[workload][metric].values()
        return sorted(set.intersection(*(set(r) for r in repeats))) if repeats else []

    def overhead(self, metric):
        """What an empty launch of one block counts: the median over repeats and over its launches of that shape."""
        if metric not in WITH_OVERHEAD or EMPTY not in self.values:
            return 0.0
        found = [r[n] for r in self.values[EMPTY][metric].values() for n in range(4) if n in r]
        return statistics.median(found) if found else 0.0

    def sums(self, workload, metric, gross=False):
        """[one number per repeat]"""
        launches = self.common(workload, metric)
        each = 0.0 if gross else self.overhead(metric)
        return [sum(max(0.0, values[n] - each) for n in launches)
                for _, values in sorted(self.values[workload][metric].items())]


def text_of(path):
    path = pathlib.Path(path)
    if path.suffix == ".gz":
        return gzip.decompress(path.read_bytes()).decode()
    if path.suffix == ".zst":
        return subprocess.run(["zstdcat", str(path)], check=True, capture_output=True, text=True).stdout
    return path.read_text(encoding="utf-8")


def read(path):
    """A Table; a last line that was cut by a kill is left out, another that is wrong is an error."""
    stem = pathlib.Path(path).name.split(".")[0]
    table, seen_head = Table(stem.removeprefix("validate-")), False
    text = text_of(path)
    lines = text.splitlines()
    if not text.endswith("\n"):
        lines = lines[:-1]
    for number, line in enumerate(lines, 1):
        if line.startswith("#"):
            named = re.match(r"# metric (\w+) = (.*)", line)
            if named:
                table.counters[named[1]] = named[2]
            else:
                table.notes.append(line[2:])
            continue
        cells = line.split("\t")
        if not seen_head:
            if cells != COLUMNS:
                sys.exit(f"{path}:{number}: the columns should be {', '.join(COLUMNS)}: is it of tools/hw/validate.sh?")
            seen_head = True
            continue
        try:
            add(table, *cells)
        except (TypeError, ValueError):
            sys.exit(f"{path}:{number}: not a row of {len(COLUMNS)} cells with numbers: {line!r}")
    return table


def add(table, workload, kernel, launch, repeat, metric, value):
    if metric == "FAILED":
        table.failed[workload] = value
    elif metric == "result":
        table.wrong[workload] = value
    elif metric == "launches":
        table.launches[workload][int(repeat)] = int(value)
    else:
        table.kernels[workload].setdefault(int(launch), kernel)
        table.values[workload][metric][int(repeat)][int(launch)] = float(value)


def spread(values):
    """Percent of the median; None of a single repeat; infinite if only the median is nothing."""
    if len(values) < 2:
        return None
    middle, width = statistics.median(values), max(values) - min(values)
    return 0.0 if width == 0 else 100 * width / middle if middle else math.inf


def quantile(values, q):
    values = sorted(values)
    return values[min(len(values) - 1, math.ceil(q * len(values)) - 1)]


def show(head, lines):
    widths = [max(len(line[i]) for line in [head, *lines]) for i in range(len(head))]
    for line in [head, ["-" * w for w in widths], *lines]:
        print("  ".join(c.ljust(w) if i < 2 else c.rjust(w) for i, (c, w) in enumerate(zip(line, widths))).rstrip())


def percent(x):
    return "-" if x is None else f"{x:.2f}"


def noise(tables, metrics, each, gross):
    for table in tables:
        for what, found in (("FAILED", table.failed), ("wrong results", table.wrong)):
            for workload, why in found.items():
                print(f"{table.name}: {workload}: {what}: {why}")
    lines, single = [], []
    for table in tables:
        for metric in metrics or table.metrics():
            found = {}
            for workload in table.workloads():
                sums = table.sums(workload, metric, gross)
                if not sums:
                    continue
                found[workload] = spread(sums)
                single.append([table.name, workload, metric, str(len(table.common(workload, metric))), str(len(sums)),
                               f"{statistics.median(sums):.6g}", percent(found[workload])])
            known = {w: s for w, s in found.items() if s is not None}
            if not known:
                continue
            worst = max(known, key=known.get)
            lines.append([table.name, metric, str(len(known)), f"{table.overhead(metric):.6g}",
                          percent(statistics.median(known.values())), percent(quantile(known.values(), 0.9)),
                          percent(known[worst]), worst])
    show(["configuration", "metric", "workloads", "empty launch", "median spread %", "90 % of them", "largest", "of"], lines)
    if each:
        print()
        show(["configuration", "workload", "metric", "launches", "repeats", "median", "spread %"], single)


def input_of(table):
    """(input, build) of the run."""
    for note in table.notes:
        found = re.match(r"configuration \S+, input (\S+), build (\S+)", note)
        if found:
            return found[1], found[2]
    sys.exit(f"validate-{table.name}: no line says '# configuration ..., input ..., build ...': "
             "is it of tools/hw/validate.sh?")


def wanted_of(table):
    """What weir is to run: (input, build, {workload: (launches, {launch: kernel})})."""
    found = {w: (validate_page.launches_of(table, w), dict(table.kernels[w])) for w in table.workloads()}
    return (*input_of(table), {w: of for w, of in sorted(found.items()) if of[0]})


def hardware(folder, config):
    """The file of a configuration, packed or not; None if there is none."""
    there = [p for ending in (".tsv", ".tsv.gz", ".tsv.zst") if (p := folder / f"validate-{config}{ending}").exists()]
    return there[0] if there else None


def gpu_rings(path):
    """Pointer chases of the microbenchmarks; none without their file."""
    return validate_page.rings_of(text_of(path)) if path.exists() else {}


def run(args):
    """Everything that is missing; what failed has been said, and is a row."""
    wanted, rings = {}, []
    every_rule = [f"{validate_weir.WITHOUT}{r}" for r in validate_weir.RULES]
    for config in [c for name in args.configs.split(",") for c in (every_rule if name == "rules" else [name])]:
        if config == validate_weir.RINGS:
            rings = [r for r in sorted(gpu_rings(args.micro)) if r[2] < min(RING_LARGE) or r[2] in RING_LARGE]
        elif not validate_weir.is_known(config):
            known = [validate_weir.RINGS, *validate_weir.CONFIGS, *(f"{validate_weir.WITHOUT}{r}" for r in validate_weir.RULES)]
            sys.exit(f"validate: --configs: {config} is none of {', '.join(known)}")
        elif (path := hardware(args.hardware, validate_weir.counted_as(config))) is None:
            sys.exit(f"validate: {args.hardware}/validate-{config}.tsv does not exist: "
                     f"tools/hw/validate.sh OUTDIR {validate_weir.counted_as(config)} writes it, where the GPU is")
        else:
            wanted[config] = wanted_of(read(path))
    unknown = [w for w in args.workloads if not any(w in of for _, _, of in wanted.values())]
    if unknown:
        sys.exit(f"validate: --workloads: the GPU's files do not have {', '.join(unknown)}")
    if not pathlib.Path(args.weir).exists():
        sys.exit(f"validate: {args.weir} does not exist: make build makes it; --weir names another")
    validate_weir.run(args, wanted, rings)


def page_of(args):
    """The text of the page, of the hardware's files and what is stored."""
    files = args.files or [p for c in validate_weir.CONFIGS if (p := hardware(HARDWARE, c)) is not None]
    tables = {t.name: t for t in map(read, files)}
    unknown = [name for name in tables if name not in validate_weir.CONFIGS]
    if unknown:
        sys.exit(f"validate: {', '.join(unknown)}: no such configuration; a file is called validate-CONFIG.tsv")
    ordered = [tables[c] for c in validate_weir.CONFIGS if c in tables]
    stored = {t.name: validate_weir.read(args.work / f"{t.name}.tsv") for t in ordered}
    if not any(s.keys for s in stored.values()):
        sys.exit(f"validate: {args.work} has no results: tools/validate.py run")
    _, rings = validate_weir.read_rings(args.work / f"{validate_weir.RINGS}.tsv")
    rules = [(about, " ".join(sets), validate_weir.read(args.work / f"{validate_weir.WITHOUT}{name}.tsv"))
             for name, (about, sets) in validate_weir.RULES.items()]
    return validate_page.page(ordered, stored, gpu_rings(args.micro), rings, [r for r in rules if r[2].keys])


def table(args):
    args.output.write_text(page_of(args), encoding="utf-8")


def check(args):
    if args.output.exists() and args.output.read_text(encoding="utf-8") != page_of(args):
        sys.exit(f"validate: {args.output} is not what {args.work} says: tools/validate.py table")


def show_noise(args):
    for f in args.files:
        if not pathlib.Path(f).exists():
            sys.exit(f"validate: {f} does not exist: tools/hw/validate.sh OUTDIR CONFIG writes such files")
    noise([read(f) for f in args.files], args.metric, args.each, args.gross)


def main():
    parser = argparse.ArgumentParser(prog="tools/validate.py", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    p = commands.add_parser("noise", help="how far repeats lie apart")
    p.add_argument("files", nargs="+", metavar="FILE")
    p.add_argument("--metric", action="append", metavar="NAME", help="only this; also several times")
    p.add_argument("--each", action="store_true", help="every workload as well")
    p.add_argument("--gross", action="store_true", help="with the cost of empty launches")
    p.set_defaults(do=show_noise)
    stored = argparse.ArgumentParser(add_help=False)
    stored.add_argument("--work", type=pathlib.Path, default=RESULTS, metavar="DIR",
                        help="results (default: docs/results/validation)")
    stored.add_argument("--micro", type=pathlib.Path, default=MICRO, metavar="FILE",
                        help="microbenchmarks of the GPU (default: those of tools/hw/results)")
    p = commands.add_parser("run", help="the same launches on a simulated machine", parents=[stored])
    p.add_argument("--weir", default=ROOT / "build/weir", metavar="PROGRAM", help="default: build/weir")
    p.add_argument("--gpu", default="h200", metavar="NAME", help="machine (default: %(default)s)")
    p.add_argument("--configs", default=",".join([validate_weir.RINGS, *validate_weir.CONFIGS]), metavar="A,B",
                   help="default: %(default)s; rules: the default one without each rule of the model, one at a time")
    p.add_argument("--workloads", default="", type=lambda s: [w for w in s.split(",") if w], metavar="A,B",
                   help="only these (default: all that the GPU's files have)")
    p.add_argument("--hardware", type=pathlib.Path, default=HARDWARE, metavar="DIR",
                   help="files of the GPU (default: tools/hw/results)")
    p.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a parameter; also several times")
    p.add_argument("--jobs", type=int, default=1, metavar="N", help="at a time (default: %(default)s)")
    p.add_argument("--limit", type=float, default=3600, metavar="SECONDS",
                   help="for one command of weir (default: %(default)g)")
    p.add_argument("--retry", action="store_true", help="what failed before, too")
    p.set_defaults(do=run)
    for name, do, about in (("table", table, "write the page"), ("check", check, "is the page what is stored?")):
        p = commands.add_parser(name, help=about, parents=[stored])
        p.add_argument("files", nargs="*", metavar="FILE", help="of the GPU (default: those of tools/hw/results)")
        p.add_argument("-o", "--output", type=pathlib.Path, default=PAGE, metavar="FILE",
                       help="default: docs/validation.md")
        p.set_defaults(do=do)
    args = parser.parse_args()
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # into head, say
    args.do(args)


if __name__ == "__main__":
    main()
