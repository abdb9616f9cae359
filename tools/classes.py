#!/usr/bin/env python3
"""docs/classes.md: the classes that the papers give their programs and loads, beside those that are measured here.

tools/classes.py measure [--weir build/weir] [WORKLOAD ...]   weir classify of S4's programs: docs/results/classes.csv
tools/classes.py why [--weir build/weir] [--again]            the experiments of classes-why.csv that have no result yet
tools/classes.py page [--check]                               both and docs/reproduction.md into the page, or: is it so?

The papers' numbers come from papers/*.yaml, speed-ups and rates from docs/reproduction.md. Runs are kept in FOLDER
(--work, out/classes), by the program and the files of the workload: run again, it goes on. A row of classes-why.csv
says what is changed; `result` is filled in from the runs, and `explains` (yes, partly, no) and `says` are written by
whoever has seen it. Rows without these are for sums over many applications.
"""
import argparse
import csv
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import textwrap
from fractions import Fraction

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/classes.md"
MEASURED = ROOT / "docs/reproduction.md"
LOADS = ROOT / "docs/results/classes.csv"
WHY = ROOT / "docs/results/classes-why.csv"
LOAD_COLUMNS = ["application", "workload", "kernel", "pc", "source", "array", "group", "accesses", "hits_alone",
                "hits_in_group", "class"]
WHY_COLUMNS = ["paper", "application", "workload", "input", "set", "measure", "result", "explains", "says"]
CLASSES = ("ca", "cm", "cg")
GPUS = {"S0": "fermi-s0", "S1": "pascal-s1", "S3": "fermi-s3", "S4": "fermi-s4"}
SAME = 0.005  # S0: speed-ups this near to 1 are none
SEVERAL = 10  # S4: settings that so many applications were run with have a line of their own
FAR = 0.1     # S1: rates that lie further apart than this are explained
LINES = {"32 B": ["l1.line=32", "l1.sets=32", "l1.ways=16"], "64 B": ["l1.line=64", "l1.sets=32", "l1.ways=8"]}
WATCHED = ["two-level.levels=1", "two-level.high=1", "two-level.min_accesses=0", "two-level.sample=500",
           "two-level.hold=1"]

VERDICTS = ["yes", "partly", "no"]
COMMANDS = {  # of the experiments
    "S0": "Experiments: `weir compare WORKLOAD -g fermi-s0 -i INPUT -S baseline,bypass-all -s SETTING`, and of single kernels "
          "`weir run` with each of the two schemes.",
    "S3": "Experiments: `weir compare WORKLOAD -g fermi-s3 -i INPUT -S baseline -s SETTING`, once as it is and once with the "
          "lines that the paper file gives the column.",
    "S1": "Experiments: `weir compare WORKLOAD -g pascal-s1 -i INPUT -S baseline -s SETTING`; for warps the scheme `two-level` "
          "with the settings of the column `watched` of the paper file.",
    "S4": "Experiments: `weir classify WORKLOAD -g fermi-s4 -i INPUT -s SETTING`; what comes out is ca / cm / cg, and how many "
          "loads are in common with the paper.",
}

# ---- what the papers say ----


class Paper:
    """What this page needs of papers/NAME.yaml, which has one form throughout."""

    def __init__(self, name, text=None):
        self.name = name
        self.text = text or (ROOT / f"papers/{name.lower()}.yaml").read_text(encoding="utf-8")
        self.groups = {}
        for line in re.search(r"^groups:.*\n((?: .*\n)+)", self.text, re.M)[1].splitlines():
            head, item = re.match(r"  (\w[\w ]*):", line), re.match(r"    ([^:#]+): ([\w-]+)", line)
            if head:
                group = self.groups.setdefault(head[1], {})
            elif item:
                group[item[1]] = item[2]
        self.figures = {}
        for block in re.split(r"^  - id: ", self.text, flags=re.M)[1:]:
            title, _, body = block.partition("\n")
            self.figures[title.strip()] = body

    def workload(self, application):
        return next(of[application] for of in self.groups.values() if application in of)

    def printed(self, figure, column):
        """{application: number} of the claims about single values of a column."""
        claim = re.compile(r"v\('([^']+)', '" + re.escape(column) + r"'\)\"?,?\s+paper: ([\d.]+)")
        return {m[1]: float(m[2]) for m in claim.finditer(self.figures[figure])}

    def limits(self, figure, column):
        """{application: (sign, number)} of the conditions on single values of a column."""
        claim = re.compile(r"\"v\('([^']+)', '" + re.escape(column) + r"'\) ([<>]=?) ([\d.]+)\"")
        return {m[1]: (m[2], float(m[3])) for m in claim.finditer(self.figures[figure])}

    def loads(self):
        """{application: ((ca, cm, cg), kernel or None)} of Table 3, in its order of rows."""
        found = {}
        for body in self.figures.values():
            kernel = re.search(r"^    kernel: (\w+)", body, re.M)
            for m in re.finditer(r"says: (\w+) has (\d+) ca, (\d+) cm and (\d+) cg loads", body):
                found[m[1]] = (tuple(int(n) for n in m.groups()[1:]), kernel and kernel[1])
        return found


def kernel_of(workload):
    """The one kernel that the paper counts, where the launch file knows it: 'loads: N in KERNEL'."""
    text = (ROOT / f"workloads/{workload}/{workload}.yaml").read_text(encoding="utf-8")
    found = re.search(r"^  loads: \d+ in (\w+)\s*(?:#.*)?$", text, re.M)
    return found and found[1]


# ---- what is measured ----


def figure_of(text, paper, title):
    """({application: {column: text}}, {application: workload}) of a table of docs/reproduction.md."""
    part = re.search(rf"^## {paper}: .*?(?=^## |\Z)", text, re.M | re.S)
    body = part and re.search(rf"^### {re.escape(title)}: .*?(?=^### |\Z)", part[0], re.M | re.S)
    rows = [[c.strip() for c in line.strip().strip("|").split("|")]
            for line in (body[0] if body else "").splitlines() if line.startswith("| ")]
    if not rows:
        return {}, {}
    head = rows[0]
    cells = {r[0]: dict(zip(head[2:], r[2:])) for r in rows[2:] if r[1]}
    return cells, {r[0]: r[1] for r in rows[2:] if r[1]}


def number(text):
    try:
        return float(text)
    except (TypeError, ValueError):
        return None


def class_s0(speedup):
    return "-" if speedup is None else "CI" if abs(speedup - 1) <= SAME + 1e-9 else "CNF" if speedup > 1 else "CF"


def class_s3(cells):
    values = [number(cells.get(c)) for c in LINES]
    return "-" if None in values else "CLN" if max(values) > 1 else "CLP"


def class_s1(speedup):
    return "-" if speedup is None else "B" if speedup > 1 else "C"


def counts_of(rows, kernel=None):
    """(ca, cm, cg) of rows of loads."""
    classes = [r["class"] for r in rows if kernel is None or r["kernel"] == kernel]
    return tuple(classes.count(c) for c in CLASSES)


def in_common(paper, here):
    return sum(min(a, b) for a, b in zip(paper, here))


# ---- runs ----


class Runner:
    def __init__(self, args):
        self.weir, self.work = str(args.weir), args.work
        self.work.mkdir(parents=True, exist_ok=True)
        self.version = subprocess.run([self.weir, "--version"], capture_output=True, text=True, check=True).stdout

    def run(self, command, workload, *words):
        """The JSON of `weir COMMAND WORKLOAD WORDS`, run if it was not before."""
        h = hashlib.sha256(self.version.encode())
        for path in sorted((ROOT / "workloads" / workload).iterdir()):
            h.update(path.name.encode() + b"\0" + path.read_bytes())
        h.update("\0".join((command, *words)).encode())
        path = self.work / f"{workload}-{h.hexdigest()[:16]}.json"
        if not path.exists():
            print(" ".join(("weir", command, workload, *words)), file=sys.stderr, flush=True)
            fresh = path.with_suffix(".new")
            jobs = [] if command == "run" else ["--jobs", "1"]
            done = subprocess.run([self.weir, command, workload, *words, *jobs, "-q", "--no-provenance", "--json", str(fresh)],
                                  capture_output=True, text=True, check=False)
            if done.returncode != 0:
                sys.exit(f"classes: weir {command} {workload} {' '.join(words)}\n{done.stderr}")
            fresh.replace(path)
        return json.loads(path.read_text())

    def classify(self, workload, where, settings):
        return [{"kernel": k["kernel"], "pc": f"{x['pc']:#x}", "source": f"{pathlib.Path(x['file'] or '').name}:{x['line']}",
                 **{c: x[c] for c in ("array", "group", "accesses", "hits_alone", "hits_in_group", "class")}}
                for k in self.run("classify", workload, "-g", GPUS["S4"], "-i", where, *flags(settings))["kernels"]
                for x in k["loads"]]

    def timed(self, workload, where, gpu, schemes, settings):
        """{scheme: run}"""
        got = self.run("compare", workload, "-g", gpu, "-i", where, "-S", ",".join(schemes), *flags(settings))
        return {r["scheme"]: r for r in got["runs"]}

    def cycles(self, workload, where, gpu, scheme, settings, kernel):
        """Cycles of all launches of a kernel."""
        got = self.run("run", workload, "-g", gpu, "-i", where, "-S", scheme, *flags(settings))
        return sum(x["timing"]["cycles"] for x in got["runs"][0]["launches"] if x["kernel"] == kernel)


def flags(settings):
    return [word for s in settings for word in ("-s", s)]


def rate(run, stores=False):
    """Misses of an L1 by its accesses, as S1 counts them, or with stores among both."""
    l1 = run["l1"]
    misses, accesses = l1["misses"] + l1["partial_misses"], l1["loads"]
    if stores:
        misses, accesses = misses + l1["stores"] - l1["store_hits"], accesses + l1["stores"]
    return misses / accesses


def outcome(runner, row):
    """What an experiment shows, as text: the number or the counts that the table of its paper has."""
    paper, settings, gpu = Paper(row["paper"]), row["set"].split(), GPUS[row["paper"]]
    workload = row["workload"] or paper.workload(row["application"])
    what = row["measure"]
    if what == "loads":
        kernel = paper.loads()[row["application"]][1] or kernel_of(workload)
        return " / ".join(map(str, counts_of(runner.classify(workload, row["input"], settings), kernel)))
    if what == "L1 off":
        of = runner.timed(workload, row["input"], gpu, ["baseline", "bypass-all"], settings)
        return f"{of['baseline']['cycles'] / of['bypass-all']['cycles']:.3f}"
    if what.startswith("L1 off, "):
        on, off = (runner.cycles(workload, row["input"], gpu, scheme, settings, what[len("L1 off, "):])
                   for scheme in ("baseline", "bypass-all"))
        return f"{on / off:.3f}"
    if what in LINES:
        of = [runner.timed(workload, row["input"], gpu, ["baseline"], settings + more)["baseline"]
              for more in ([], LINES[what])]
        return f"{of[0]['cycles'] / of[1]['cycles']:.3f}"
    if what == "warps":
        of = runner.timed(workload, row["input"], gpu, ["two-level"], settings + WATCHED)["two-level"]
        return f"{of['parts']['two-level']['mean_warps'] / 32:.3f}"
    if what.startswith("misses"):
        of = runner.timed(workload, row["input"], gpu, ["baseline"], settings)["baseline"]
        return f"{rate(of, what.endswith('with stores')):.3f}"
    sys.exit(f"classes: {WHY.name}: no measure is called {what}")


def read(path):
    if not path.exists():
        return []
    with open(path, newline="", encoding="utf-8") as f:
        return list(csv.DictReader(f))


def write(path, columns, rows):
    with open(path, "w", newline="", encoding="utf-8") as f:
        out = csv.DictWriter(f, columns, lineterminator="\n")
        out.writeheader()
        out.writerows(rows)


def measure(args):
    runner, paper, kept = Runner(args), Paper("S4"), read(LOADS)
    wanted = paper.loads()
    rows = []
    for application, (_, kernel) in wanted.items():
        workload = paper.workload(application)
        kernel = kernel or kernel_of(workload)
        if args.names and workload not in args.names:
            rows += [r for r in kept if r["application"] == application]
            continue
        rows += [{"application": application, "workload": workload, **r}
                 for r in runner.classify(workload, "profile", []) if kernel in (None, r["kernel"])]
    write(LOADS, LOAD_COLUMNS, rows)


def why(args):
    runner, rows = Runner(args), read(WHY)
    for row in rows:
        if args.again or not row["result"]:
            row["result"] = outcome(runner, row)
            write(WHY, WHY_COLUMNS, rows)  # what was run is there if the next one fails


# ---- the page ----


def table(head, rows):
    right = {"paper", "here", "speed-up", "32 B", "64 B", "applications", "loads", "in common without", "in common with",
             "agree without", "agree with", "loads in common", "applications that agree"}
    line = ["---:" if h.split(",")[0] in right else "---" for h in head]
    return ["| " + " | ".join(head) + " |", "| " + " | ".join(line) + " |",
            *("| " + " | ".join(str(c).replace("|", "\\|") for c in row) + " |" for row in rows)]


def wrap(text):
    return textwrap.wrap(text, 120, break_long_words=False, break_on_hyphens=False)


def yes(same):
    return "-" if same is None else "yes" if same else "**no**"


def share(values):
    """'N of M agree', and how many are not run yet."""
    known = [v for v in values if v is not None]
    left = len(values) - len(known)
    return f"{sum(known)} of {len(known)} agree" + (f"; {left} are not run yet" if left else "")


def differ_of(rows):
    return [row[0] for row in rows if row[-1] == yes(False)]


def agrees(here, paper):
    return None if here == "-" else here == paper


def why_table(name, rows, of=None):
    """Experiments that have a result and a sentence; `of` says more about a result."""
    mine = [r for r in rows if r["paper"] == name and r["result"] and r["says"]]
    if not mine:
        return []
    same = len({r["measure"] for r in mine}) == 1
    head = ["application", "experiment", *([] if same else ["shows"]), "comes out", "explains it", "so"]
    return ["", *wrap(COMMANDS[name]), "",
            *table(head, [[r["application"], experiment(r), *([] if same else [r["measure"]]),
                           of(r) if of else r["result"], r["explains"], r["says"]] for r in mine])]


def explained(name, differ, rows):
    """What experiments say of applications that differ, in words."""
    if not differ:
        return []
    best = {a: min([VERDICTS.index(r["explains"]) for r in rows if r["paper"] == name and r["application"] == a and r["says"]
                    and r["result"]], default=len(VERDICTS)) for a in dict.fromkeys(differ)}
    words = ("explained", "explained in part", "not explained", "not looked at")
    found = [f"{w}: {', '.join(a for a in best if best[a] == i)}" for i, w in enumerate(words) if i in best.values()]
    return ["", *wrap(f"Of those that differ are {'; '.join(found)}.")]


def counts(text):
    return tuple(int(n) for n in text.split(" / "))


def settings_table(said, loads, rows):
    """Loads in common under one setting, for all applications that were run with it."""
    lines = []
    for s in dict.fromkeys(r["set"] for r in rows if r["paper"] == "S4" and r["input"] == "profile" and r["set"]):
        mine = [r for r in rows if r["paper"] == "S4" and r["input"] == "profile" and r["set"] == s and r["result"]]
        if len(mine) < SEVERAL:
            continue
        paper = {r["application"]: said[r["application"]][0] for r in mine}
        here = {a: counts_of([x for x in loads if x["application"] == a]) for a in paper}
        changed = {r["application"]: counts(r["result"]) for r in mine}
        lines.append([f"`{s}`", len(mine), sum(map(sum, paper.values())),
                      *(sum(in_common(paper[a], of[a]) for a in paper) for of in (here, changed)),
                      *(sum(paper[a] == of[a] for a in paper) for of in (here, changed))])
    return table(["all with", "applications", "loads", "in common without", "in common with", "agree without",
                  "agree with"], lines) if lines else []


READINGS = {  # a load's hit rate, from (its hits alone, its requests, its hits in the group's run), of it and of its group
    "alone, with an equal share of the group's extra hits (weir)": lambda r, g: Fraction(
        len(g) * r[0] + (sum(x[2] - x[0] for x in g) if len(g) > 1 else 0), len(g) * r[1]),
    "alone": lambda r, g: Fraction(r[0], r[1]),
    "together with its group": lambda r, g: Fraction(r[2], r[1]),
    "that of its group": lambda r, g: Fraction(sum(x[2] for x in g), sum(x[1] for x in g)),
}


def rates(rows, reading):
    """Hit rates of an application's loads; None: it did not run."""
    numbers = [(r["kernel"], r["group"], *(int(r[c]) for c in ("hits_alone", "accesses", "hits_in_group"))) for r in rows]
    return [reading(n[2:], [x[2:] for x in numbers if x[:2] == n[:2]]) if n[3] else None for n in numbers]


def class_of(rate, high=Fraction(7, 10), low=Fraction(3, 10)):
    return "cm" if rate is None else "ca" if rate >= high else "cg" if rate <= low else "cm"


def agreement(said, found, **limits):
    """(loads in common, applications that agree) of the hit rates that a reading has."""
    here = {a: tuple([class_of(x, **limits) for x in of].count(c) for c in CLASSES) for a, of in found.items()}
    return sum(in_common(said[a][0], n) for a, n in here.items()), sum(said[a][0] == n for a, n in here.items())


def readings_table(said, loads):
    by_application = {a: rows for a in said if (rows := [r for r in loads if r["application"] == a])}
    found = {name: {a: rates(rows, reading) for a, rows in by_application.items()} for name, reading in READINGS.items()}
    lines = [[name, "0.7, 0.3", *agreement(said, of)] for name, of in found.items()]
    name, of = next(iter(found.items()))
    _, high, low = max((agreement(said, of, high=Fraction(h, 20), low=Fraction(x, 20)), h, x)
                               for h in range(1, 21) for x in range(h))
    limits = {"high": Fraction(high, 20), "low": Fraction(low, 20)}
    lines.append([name, f"{high / 20:.2f}, {low / 20:.2f}: the best of all, in steps of 0.05", *agreement(said, of, **limits)])
    return table(["hit rate of a load", "limits", "loads in common", "applications that agree"], lines)


def experiment(row):
    parts = [f"workload `{row['workload']}`"] if row["workload"] else []
    return ", ".join([*parts, f"input `{row['input']}`", *(f"`{s}`" for s in row["set"].split())])


def section_s0(text, why_rows):
    paper = Paper("S0")
    cells, names = figure_of(text, "S0", "Table 1")
    printed = paper.printed("Table 1", "BALL")
    rows, same = [], []
    for group, applications in paper.groups.items():
        for a, workload in applications.items():
            here = number(cells.get(a, {}).get("BALL"))
            same.append(agrees(class_s0(here), group))
            rows.append([a, names.get(a, workload), f"{printed[a]:.2f}", "-" if here is None else f"{here:.3f}", group,
                         class_s0(here), yes(same[-1])])
    return ["## S0: faster without an L1, or not", "",
            *wrap("Speed-up of BALL, which sends all loads past the L1, over the baseline on fermi-s0. CNF: an application "
                  f"gains; CI: it is insensitive (within {1 - SAME:.3f} and {1 + SAME:.3f}); CF: it loses. "
                  f"**{share(same)}.**"), "",
            *table(["application", "workload", "paper, speed-up", "here, speed-up", "paper's class", "class here", "agrees"],
                   rows), *explained("S0", differ_of(rows), why_rows), *why_table("S0", why_rows)]


def section_s3(text, why_rows):
    paper = Paper("S3")
    cells, names = figure_of(text, "S3", "Table 1")
    rows, same = [], []
    for group, applications in paper.groups.items():
        for a, workload in applications.items():
            here = cells.get(a, {})
            same.append(agrees(class_s3(here), group))
            rows.append([a, names.get(a, workload), here.get("32 B", "-"), here.get("64 B", "-"), group, class_s3(here),
                         yes(same[-1])])
    return ["## S3: small lines or large ones", "",
            *wrap("Speed-up of lines of 32 and of 64 bytes over those of 128, on fermi-s3. CLN: the better of both is above "
                  f"1; CLP: it is not. The paper's table has the classes alone. **{share(same)}.**"), "",
            *table(["application", "workload", "32 B", "64 B", "paper's class", "class here", "agrees"], rows),
            *explained("S3", differ_of(rows), why_rows), *why_table("S3", why_rows)]


def section_s1(text, why_rows):
    paper = Paper("S1")
    misses, names = figure_of(text, "S1", "Fig 1, misses")
    warps, _ = figure_of(text, "S1", "Fig 1, warps")
    off, _ = figure_of(text, "S1", "Fig 3")
    printed = {"misses": paper.printed("Fig 1, misses", "BL"), "warps": paper.printed("Fig 1, warps", "watched")}
    limits = paper.limits("Fig 1, warps", "watched")
    rows, same, near, far = [], [], [], []
    for group in ("C", "B"):
        for a, workload in paper.groups[group].items():
            m, w = misses.get(a, {}).get("BL", "-"), warps.get(a, {}).get("watched", "-")
            speed = number(off.get(a, {}).get("L1 off"))
            same.append(agrees(class_s1(speed), group))
            for what, here in (("misses", number(m)), ("warps", number(w))):
                if a in printed[what]:
                    near.append(None if here is None else abs(printed[what][a] - here) <= FAR)
                    far += [f"{a} ({what})"] if near[-1] is False else []
            said_w = f"{printed['warps'][a]:.2f}" if a in printed["warps"] else f"{limits[a][0]} {limits[a][1]:.2f}" \
                if a in limits else "-"
            rows.append([a, names.get(a, workload), f"{printed['misses'][a]:.3f}" if a in printed["misses"] else "-", m,
                         said_w, w, "-" if speed is None else f"{speed:.3f}", group, class_s1(speed), yes(same[-1])])
    return ["## S1: better off with an L1, or without", "",
            *wrap("Miss rate of the L1 (misses by loads), warps that have not ended (of 32), and the speed-up of a "
                  "switched-off L1 over the baseline on pascal-s1. The paper has two groups: C is faster with the L1, B "
                  f"without it. It prints the rates of some. **Of the groups {share(same)}**; of the rates that the paper prints "
                  f"{sum(v for v in near if v)} of {len(near)} are within 10 points."), "",
            *table(["application", "workload", "paper, misses", "here, misses", "paper, warps", "here, warps",
                    "speed-up, L1 off", "paper's group", "group here", "agrees"], rows),
            *explained("S1", differ_of(rows) + far, [{**r, "application": f"{r['application']} ({r['measure'].split()[0]})"}
                                                     for r in why_rows]), *why_table("S1", why_rows)]


def section_s4(loads, why_rows):
    paper = Paper("S4")
    rows, same, sums, common = [], [], [[0] * 3, [0] * 3], 0
    by_class, said_of = [0] * 3, paper.loads()
    for a, (said, kernel) in said_of.items():
        workload = paper.workload(a)
        mine = [r for r in loads if r["application"] == a]
        name = kernel or kernel_of(workload) or "all"
        if not mine:
            same.append(None)
            rows.append([a, workload, name, *said, "-", "-", "-", "-", "-"])
            continue
        here = counts_of(mine)
        same.append(here == said)
        common += in_common(said, here)
        for i in range(3):
            sums[0][i] += said[i]
            sums[1][i] += here[i]
            by_class[i] += min(said[i], here[i])
        rows.append([a, workload, name, *said, *here, f"{in_common(said, here)} of {sum(said)}", yes(same[-1])])
    rows.append(["sum", "", "", *sums[0], *sums[1], f"{common} of {sum(sums[0])}", ""])
    parts = ", ".join(f"{by_class[i]} of {sums[0][i]} {c}" for i, c in enumerate(CLASSES))
    return ["## S4: loads", "",
            *wrap("Static loads by class, as Table 3 of the paper has them and as `weir classify WORKLOAD --gpu fermi-s4` "
                  "finds them with the input `profile` and the build for a Fermi, in the kernel that the paper evaluates "
                  "([reference/suite.md](reference/suite.md) says how it was found; `all`: all kernels of the program). The "
                  "paper does not say which load has which class, so what is in common is the smaller number of each class. "
                  f"**Of the applications {share(same)}, in all three numbers; {common} of {sum(sums[0])} loads are in "
                  f"common: {parts}.** Sums are of what was measured."), "",
            *table(["application", "workload", "kernel", "paper, ca", "paper, cm", "paper, cg", "here, ca", "here, cm",
                    "here, cg", "in common", "agrees"], rows), *explained("S4", differ_of(rows), why_rows),
            *why_table("S4", why_rows, lambda r: with_common(r, said_of)), *for_all(said_of, loads, why_rows)]


def with_common(row, said_of):
    """The result, and loads in common, if there are about as many as the paper has."""
    said, here = said_of[row["application"]][0], counts(row["result"])
    near = abs(sum(here) - sum(said)) <= 0.2 * sum(said)
    return row["result"] + (f" ({in_common(said, here)} of {sum(said)})" if near else "")


def for_all(said_of, loads, why_rows):
    settings = settings_table(said_of, loads, why_rows)
    found = ["", *wrap("One setting for all does not bring the paper's counts about (of the applications that were run with "
                       "it, first of all those that differ):"), "", *settings] if settings else []
    if loads:
        found += ["", *wrap("Nor does another reading of its rule, with the hits of the same runs: what a load's hit rate is, "
                            "and from where on it is ca and up to where cg."), "", *readings_table(said_of, loads)]
    return found


def made(text, loads, why_rows):
    lines = ["# Classes of the papers", "", "<!-- made by tools/classes.py page -->", "",
             *wrap("Four of the five papers sort their programs or loads into classes, and say so in a table (S2 has none). "
                   "Here these stand beside what comes out of weir, and below each table what an experiment says about the "
                   "rows that differ. Speed-ups and rates are those of [reproduction.md](reproduction.md); `-`: not run yet, "
                   "or not printed in the paper. A sketch is a workload that follows its original loosely."), "",
             *wrap("The experiments were made when it was known which rows differ, and several on most of them. One that brings the "
                   "paper's class about shows what the class depends on; that it was so in the paper is a guess."), ""]
    for section in (section_s0(text, why_rows), section_s3(text, why_rows), section_s1(text, why_rows),
                    section_s4(loads, why_rows)):
        lines += [*section, ""]
    return "\n".join(lines).rstrip() + "\n"


def page(args):
    fresh = made(args.reproduction.read_text(encoding="utf-8"), read(LOADS), read(WHY))
    if args.check:
        if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != fresh:
            sys.exit(f"classes: {PAGE.relative_to(ROOT)} is not what its data say: tools/classes.py page")
    else:
        args.output.write_text(fresh, encoding="utf-8")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    sub = p.add_subparsers(required=True)
    for name, do in (("measure", measure), ("why", why)):
        s = sub.add_parser(name)
        s.add_argument("--weir", type=pathlib.Path, default=ROOT / "build/weir")
        s.add_argument("--work", type=pathlib.Path, default=ROOT / "out/classes")
        s.set_defaults(do=do)
        if do is measure:
            s.add_argument("names", nargs="*", metavar="WORKLOAD")
        else:
            s.add_argument("--again", action="store_true", help="all of them, not only those without a result")
    s = sub.add_parser("page")
    s.add_argument("--check", action="store_true")
    s.add_argument("--reproduction", type=pathlib.Path, default=MEASURED)
    s.add_argument("--output", type=pathlib.Path, default=PAGE)
    s.set_defaults(do=page)
    args = p.parse_args()
    args.do(args)


if __name__ == "__main__":
    main()
