#!/usr/bin/env python3
"""What `weir advise` promises for the workloads, and what a GPU makes of it.

    tools/advise.py run OUTDIR [WORKLOAD ...]   advice for each, on a simulated machine; goes on where it was stopped
    tools/advise.py gpu OUTDIR [WORKLOAD ...]   where the GPU is: both texts in turn, OUTDIR/gpu.tsv
    tools/advise.py table OUTDIR                docs/advise-h200.md: promised beside measured

OUTDIR/NAME.json is the advice, OUTDIR/ptx/NAME the PTX with its hints, and `carveouts` there has a line KERNEL PERCENT
for each kernel that should prefer another one. `gpu` needs build/launch_gpu (tools/hw/launch_gpu.sh build), this folder
and python3. A time of the GPU is that of all launches of a run, by events, less what as many empty launches take; runs
of both texts alternate, each from the initial contents and with nothing of them in the L2. A gain is time before over
time after, less 1.
"""
import argparse
import datetime
import json
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import ranks  # noqa: E402

PAGE = ROOT / "docs/advise-h200.md"
EMPTY = ROOT / "tools/hw/empty/empty.yaml"
GPU_COLUMNS = ["workload", "launches", "side", "run", "us", "result"]
LEAST = 0.01  # gains below it are none, for the agreement of signs


class Failed(Exception):
    """A workload has no result; the text says why."""


def say(text):
    print(f"advise: {text}", file=sys.stderr, flush=True)


# ---- advice

def suite(given):
    """Names of workloads with a launch file of their name and an input `profile`."""
    names = given or sorted(p.name for p in (ROOT / "workloads").iterdir() if p.is_dir())
    found = []
    for name in names:
        file = ROOT / "workloads" / name / f"{name}.yaml"
        if not file.exists():
            if given:
                sys.exit(f"advise: there is no workloads/{name}/{name}.yaml; 'weir list workloads' has the names")
        elif given or re.search(r"^  profile:", file.read_text(encoding="utf-8"), re.M):
            found.append(name)
    return found


def modules_of(file, build):
    """Names of the modules of a launch file, in their order."""
    text = file.read_text(encoding="utf-8")
    found = (re.search(rf"^  {re.escape(build)}: *\{{.*?modules: *\[([^\]]*)\]", text, re.M) or
             re.search(r"^modules: *\[([^\]]*)\]", text, re.M))
    if not found:
        raise Failed(f"{file}: no line 'modules: [...]' of the build {build} or of the file")
    return [name.strip() for name in found[1].split(",")]


def input_of(file, given, build):
    """What --input is for it: a build is named only where there are several."""
    return f"{given}@{build}" if re.search(r"^builds:", file.read_text(encoding="utf-8"), re.M) else given


def carveouts(advice):
    return {k["kernel"]: k["carveout"] for k in advice["kernels"] if k["carveout"] is not None}


def advise_one(args, name):
    """The advice for a workload, kept in the folder."""
    file = ROOT / "workloads" / name / f"{name}.yaml"
    given = args.input or ("profile" if re.search(r"^  profile:", file.read_text(encoding="utf-8"), re.M) else None)
    with tempfile.TemporaryDirectory(prefix="advise-") as folder:
        folder = pathlib.Path(folder)
        outputs = [folder / m for m in modules_of(file, args.build)]
        command = [args.weir, "advise", file, "-g", args.gpu, "-q", "--no-provenance", "--jobs", str(args.threads),
                   "--trials", str(args.trials), "--min-gain", str(args.min_gain), "--json", folder / "advice.json",
                   *(word for o in outputs for word in ("-o", o)),
                   *(["-i", input_of(file, given, args.build)] if given else []),
                   *(word for s in args.set for word in ("--set", s))]
        try:
            done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=args.limit)
        except subprocess.TimeoutExpired:
            raise Failed(f"weir advise takes longer than {args.limit:g} s; remedy: --limit, or fewer --trials") from None
        if done.returncode != 0:
            raise Failed((done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[0])
        advice = json.loads((folder / "advice.json").read_text(encoding="utf-8"))
        keep(args.outdir, name, advice, outputs)
    return advice


def keep(outdir, name, advice, modules):
    """PTX only where there is advice; the JSON last, which says that all is there."""
    if advice["advised"]:
        folder = outdir / "ptx" / name
        folder.mkdir(parents=True, exist_ok=True)
        for m in modules:
            (folder / m.name).write_bytes(m.read_bytes())
        lines = [f"{kernel} {percent}\n" for kernel, percent in carveouts(advice).items()]
        (folder / "carveouts").write_text("".join(lines), encoding="utf-8")
    write(outdir / f"{name}.json", json.dumps(advice, indent=1) + "\n")


def write(path, text):
    """In one step, so that a run that is killed leaves a whole file."""
    fresh = path.with_name(path.name + ".new")
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(path)


def run(args):
    args.outdir.mkdir(parents=True, exist_ok=True)
    failed = 0
    for name in suite(args.workloads):
        if (args.outdir / f"{name}.json").exists() and not args.again:
            continue
        begin = time.monotonic()
        try:
            say(f"{name}: {describe(advise_one(args, name))} ({time.monotonic() - begin:.0f} s)")
        except Failed as why:
            failed += 1
            say(f"{name}: {why}")
    return failed > 0


def promised(advice):
    return advice["repeats"]["gain"] if advice["advised"] else None


def describe(advice):
    gain = promised(advice)
    if gain is None:
        return f"nothing is advised; {100 * advice['gain_found']:.1f} % found"
    return f"{100 * gain['mean']:+.1f} % promised"


def read_advice(outdir):
    """{workload: advice}"""
    found = {}
    for path in sorted(outdir.glob("*.json")):
        try:
            advice = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as why:
            sys.exit(f"{path}: {why}: delete it, and run it again")
        if advice.get("weir_advise") != 1:
            sys.exit(f"{path}: no advice of 'weir advise --json' that this program knows (weir_advise: 1)")
        found[path.stem] = advice
    return found


# ---- the GPU

def gpu(args):
    program = args.program.resolve()
    if not program.exists():
        sys.exit(f"advise: {program} is missing: tools/hw/launch_gpu.sh build makes it, here or elsewhere")
    advice = {n: a for n, a in read_advice(args.outdir).items()
              if a["advised"] and (not args.workloads or n in args.workloads)}
    if not advice:
        sys.exit(f"advise: no advice in {args.outdir}: 'tools/advise.py run {args.outdir}' makes it")
    begin, rows = time.monotonic(), []
    out = args.outdir / "gpu.tsv"
    empty = empty_us(program, args)
    for name in advice:
        if time.monotonic() - begin > args.time:
            say(f"{name} and those after it are left out: {args.time:g} s are over; name them, for another start")
            break
        try:
            rows += measure(program, args, name)
        except Failed as why:
            say(f"{name}: {why}")
            rows.append([name, "", "", "", "", f"FAILED {why}"])
        write(out, gpu_text(rows, empty, args))
    say(f"{len(advice)} workloads in {time.monotonic() - begin:.0f} s: {out}")
    return 0


def gpu_text(rows, empty, args):
    query = ["nvidia-smi", "--query-gpu=name,driver_version,clocks.max.sm", "--format=csv,noheader"]
    try:
        what = subprocess.run(query, capture_output=True, text=True, timeout=60).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        what = "nvidia-smi says nothing"
    head = [f"# {datetime.date.today().isoformat()}, {what}", f"# empty {empty:.2f} us", f"# runs {args.runs}"]
    return "\n".join([*head, "\t".join(GPU_COLUMNS), *("\t".join(map(str, r)) for r in rows)]) + "\n"


def call(command, limit):
    try:
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=limit, cwd=ROOT)
    except subprocess.TimeoutExpired:
        raise Failed(f"it takes longer than {limit:g} s") from None
    return done.stdout + done.stderr


def empty_us(program, args):
    """What an empty launch of one block takes."""
    with tempfile.TemporaryDirectory(prefix="advise-") as folder:
        table = pathlib.Path(folder) / "launches"
        said = call([program, "--runs", args.runs, "--launches", table, EMPTY], args.limit)
        lines = table.read_text(encoding="utf-8").splitlines() if table.exists() else []
    rows = [dict(zip(lines[0].split("\t"), line.split("\t"))) for line in lines[1:]]
    times = [float(r["us"]) for r in rows if r["grid"] == "1,1,1"]
    if not times:
        sys.exit(f"advise: no empty launch could be timed: {said.strip().splitlines()[-1:]}")
    return statistics.median(times)


def measure(program, args, name):
    """Rows of one workload."""
    file = ROOT / "workloads" / name / f"{name}.yaml"
    with tempfile.TemporaryDirectory(prefix="advise-") as folder:
        each = pathlib.Path(folder) / "each"
        text = call([program, "--input", args.input or "profile", "--build", args.build, "--runs", args.runs, "--against",
                     args.outdir / "ptx", "--each", each, file], args.limit)
        lines = each.read_text(encoding="utf-8").splitlines()[1:] if each.exists() else []
    return rows_of(name, text, lines)


def rows_of(name, text, lines):
    """From what launch_gpu prints, a row for each side, and its rows of runs."""
    results = [line.split("\t") for line in text.splitlines() if line.startswith(f"{name}\t")]
    if len(results) != 2 or not lines:
        raise Failed(" ".join(text.split("\n")[-3:])[:200] or "launch_gpu prints nothing")
    rows = []
    for line in lines:
        _, _, side, number, us = line.split("\t")
        rows.append([name, results[int(side)][3], side, number, us, results[int(side)][-1]])
    return rows


def read_gpu(path):
    """({workload: {side: [us]}}, {workload: launches}, empty us, {workload: what is wrong}, notes)"""
    times, launches, wrong, notes, empty, seen = {}, {}, {}, [], 0.0, False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        cells = line.split("\t")
        if line.startswith("# empty "):
            empty = float(line.split()[2])
        elif line.startswith("# "):
            notes.append(line[2:])
        elif not seen:
            seen = True
            if cells != GPU_COLUMNS:
                sys.exit(f"{path}:{number}: the columns should be {', '.join(GPU_COLUMNS)}: run 'gpu' again")
        elif len(cells) != len(GPU_COLUMNS):
            sys.exit(f"{path}:{number}: not a row of {len(GPU_COLUMNS)} cells: run 'gpu' again")
        elif cells[5].startswith("FAILED"):
            wrong[cells[0]] = cells[5]
        else:
            if cells[5] not in ("ok", "nothing is expected"):
                wrong[cells[0]] = cells[5]
            launches[cells[0]] = int(cells[1])
            times.setdefault(cells[0], {}).setdefault(int(cells[2]), []).append(float(cells[4]))
    return times, launches, empty, wrong, notes


# ---- the page

def sign(gain):
    return (gain >= LEAST) - (gain <= -LEAST)


class Compared:
    """A promise and what came of it."""

    def __init__(self, name, advice, times, launches, empty):
        self.name, self.promise = name, promised(advice)["mean"]
        net = {side: [us - launches * empty for us in v] for side, v in times.items()}
        before, after = statistics.median(net[0]), statistics.median(net[1])
        self.measured = before / after - 1 if after > 0 else math.nan
        self.us = before
        self.noise = (max(net[0]) - min(net[0])) / before if before > 0 else math.nan
        self.hints = sum(load["hint"] is not None for k in advice["kernels"] for load in k["loads"])
        self.carveouts = carveouts(advice)


def compare(advice, times, launches, empty, wrong):
    return [Compared(n, a, times[n], launches[n], empty) for n, a in sorted(advice.items())
            if a["advised"] and n in times and n not in wrong and set(times[n]) == {0, 1}]


def cells(row):
    return "| " + " | ".join(row) + " |"


def summary(found):
    rho = ranks.spearman([c.promise for c in found], [c.measured for c in found])
    agree = sum(sign(c.measured) == 1 for c in found)
    against = sum(sign(c.measured) == -1 for c in found)
    worst = max(found, key=lambda c: c.promise - c.measured)
    mean = {what: math.exp(statistics.mean(math.log1p(max(getattr(c, what), -0.99)) for c in found)) - 1
            for what in ("promise", "measured")}
    return [
        f"- {len(found)} workloads have advice that was tried on the GPU. It came true, by at least {100 * LEAST:g} %, for "
        f"{agree}; it cost time for {against}; for {len(found) - agree - against} it did neither.",
        f"- Geometric means: {100 * mean['promise']:+.1f} % promised, {100 * mean['measured']:+.1f} % measured.",
        f"- Rank correlation (Spearman) of promised and measured gains: "
        + (f"{rho:.2f}." if rho is not None else "not defined."),
        f"- The worst promise: {worst.name}, {100 * worst.promise:+.1f} % promised, {100 * worst.measured:+.1f} % measured."]


def page(advice, found, wrong, notes):
    none = sorted(n for n, a in advice.items() if not a["advised"])
    lines = ["# Advice beside an H200", "",
             "What [`weir advise`](advise.md) promises on the machine `h200`, input `profile`, and what the GPU makes of the",
             "same PTX. Written by `tools/advise.py table`; how it is measured stands at the top of that program.", ""]
    lines += [f"GPU: {notes[0]}.", ""] if notes else []
    lines += summary(found) + [""] if found else ["Nothing has been measured yet.", ""]
    if found:
        lines += [cells(["workload", "hints", "carve-out, %", "promised, %", "measured, %", "spread of runs, %", "us"]),
                  cells(["---", "---:", "---", "---:", "---:", "---:", "---:"])]
        for c in sorted(found, key=lambda c: -c.promise):
            carve = ", ".join(sorted({str(v) for v in c.carveouts.values()})) or "-"
            lines.append(cells([c.name, str(c.hints), carve, f"{100 * c.promise:+.1f}", f"{100 * c.measured:+.1f}",
                                f"{100 * c.noise:.1f}", f"{c.us:.1f}"]))
        lines += ["", "Spread: of the runs of the text as it is, largest less smallest, over their median. A gain below it "
                  "may be chance.", ""]
    lines += [f"- {n}: {why}" for n, why in sorted(wrong.items())] + ([""] if wrong else [])
    if none:
        lines += [f"Nothing is advised for {len(none)} workloads: {', '.join(none)}.", ""]
    return "\n".join(wrap(lines)).rstrip() + "\n"


def wrap(lines):
    """Text at 120 columns; tables stay."""
    import textwrap
    for line in lines:
        if len(line) <= 120 or line.startswith("|"):
            yield line
        else:
            yield from textwrap.wrap(line, 120, subsequent_indent="  " if line.startswith("- ") else "",
                                     break_long_words=False, break_on_hyphens=False)


def table(args):
    advice = read_advice(args.outdir)
    path = args.outdir / "gpu.tsv"
    times, launches, empty, wrong, notes = read_gpu(path) if path.exists() else ({}, {}, 0.0, {}, [])
    found = compare(advice, times, launches, empty, wrong)
    write(args.output, page(advice, found, wrong, notes))
    for line in summary(found) if found else []:
        print(line)
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    sub = parser.add_subparsers(dest="what", required=True)
    for name in ("run", "gpu", "table"):
        p = sub.add_parser(name)
        p.add_argument("outdir", type=pathlib.Path, metavar="OUTDIR")
        if name != "table":
            p.add_argument("workloads", nargs="*", metavar="WORKLOAD", help="default: the whole suite")
            p.add_argument("--input", help="default: profile")
            p.add_argument("--build", default="nvcc", help="of workloads with several (default: %(default)s)")
            p.add_argument("--limit", type=float, default=3600 if name == "run" else 120, help="seconds for one workload")
        if name == "run":
            p.add_argument("--weir", type=pathlib.Path, default=ROOT / "build/weir")
            p.add_argument("--gpu", default="h200")
            p.add_argument("--trials", type=int, default=64)
            p.add_argument("--min-gain", type=float, default=1, help="percent; what gains less is not advised")
            p.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
            p.add_argument("--threads", type=int, default=os.cpu_count(), help="timings at a time")
            p.add_argument("--again", action="store_true", help="also those that are there")
        if name == "gpu":
            p.add_argument("--program", type=pathlib.Path, default=ROOT / "build/launch_gpu")
            p.add_argument("--runs", type=int, default=11, help="of each text (default: %(default)s)")
            p.add_argument("--time", type=float, default=540, help="seconds after which nothing is begun")
        if name == "table":
            p.add_argument("-o", "--output", type=pathlib.Path, default=PAGE)
    args = parser.parse_args()
    args.outdir = args.outdir.resolve()
    if args.what == "gpu" and args.runs < 7:
        parser.error("--runs: at least 7, for a median that means something")
    return {"run": run, "gpu": gpu, "table": table}[args.what](args)


if __name__ == "__main__":
    sys.exit(main())
