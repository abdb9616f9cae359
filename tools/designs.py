#!/usr/bin/env python3
"""The tables of docs/designs-kernels.md, every design on its paper's machine beside random bypassing, with intervals,
and those of docs/designs.md, what came of the papers on their own programs.

tools/designs.py run [--weir build/weir] [--work FOLDER]   compare, and write docs/results (an hour or two)
tools/designs.py verify [--machines A,B] [--workloads A,B] compare again, and say which rows of docs/results differ
tools/designs.py why [--weir build/weir]                   what is left of a gain without a shortage (minutes)
tools/designs.py bounds [--weir build/weir] [--store FILE] what could be gained at all, on each machine (minutes)
tools/designs.py all [--weir build/weir] [--store FILE]    every scheme there is, on one machine, input profile
tools/designs.py tables [--check]                          results into the pages, or: are the pages up to date?

Runs are kept in FOLDER, by what makes their results (program, machine, workload, schemes): run again, it goes on.
"""
import argparse
import csv
import hashlib
import json
import math
import pathlib
import re
import subprocess
import sys

import reproduced
from sensitivity import names

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = [ROOT / "docs/designs.md", ROOT / "docs/designs-kernels.md"]
RESULTS = ROOT / "docs/results"
REPEATS = 5
RANDOM = {"random-25": 25, "random-bypass": 50, "random-75": 75}
FILES = {"random-25": "examples/designs/random-25.yaml", "random-75": "examples/designs/random-75.yaml",
         "tsc+pc": "examples/designs/tsc+pc.yaml", "decoupled+srrip": "examples/designs/decoupled+srrip.yaml"}
CONTROLS = ["baseline", "bypass-all", *RANDOM]
STUDIES = {  # machine: designs
    "fermi-s0": ["decoupled"],
    "pascal-s1": ["two-level", "miss-rate"],
    "gcn-s2": ["pc-bypass"],
    "fermi-s4": ["static", "dynamic", "coordinated"],
    "fermi-s3": ["decoupled", "two-level", "miss-rate", "pc-bypass", "tsc", "tsc+", "static", "dynamic", "coordinated",
                 "tsc+pc", "decoupled+srrip"],
}
# What a scheme gains by: take one shortage away and see what is left of the gain.
WHY = {
    "fermi-s3": (["decoupled", "pc-bypass", "tsc+", "coordinated"], {
        "as it is": [], "crossbar without blocking": ["noc.crossbar=ideal"], "256 MSHRs": ["l1.mshr_entries=256"],
        "bypassed loads fetch lines": ["l1.bypass_gran=line"],
        "all three": ["noc.crossbar=ideal", "l1.mshr_entries=256", "l1.bypass_gran=line"]}),
    "gcn-s2": (["pc-bypass"], {"as it is": [], "256 MSHRs": ["l1.mshr_entries=256"]}),
}
WHY_WORKLOADS = "bfs,gather,reduction,rowmv,spmv,spmv-vector,transpose,vecadd"
PARTS = {"tsc", "tsc+", "tsc+pc", "dsc-2", "dsc-4"}  # store parts of lines: their bound is opt-chunk
PAPERS = {"decoupled": "fermi-s0", "two-level": "pascal-s1", "pc-bypass": "gcn-s2", "tsc+": "fermi-s3",
          "coordinated": "fermi-s4"}
HEADLINES = [  # what each paper says of its own design: paper, figure, how the claim begins
    ("decoupled", "S0", "Fig 8", "Decoupled gains 30.3 %"),
    ("two-level", "S1", "Fig 4:", "Two-level gains 6.1 %"),
    ("two-level, 256 MSHRs", "S1", "Fig 4, 256 MSHRs", "Two-level gains 6.1 %"),
    ("pc-bypass", "S2", "Performance", "it gains"),
    ("tsc", "S3", "Fig 10b:", "TSC gains 15.6 %"),
    ("tsc+", "S3", "Fig 10b:", "TSC+ gains 17.2 %"),
    ("static", "S4", "Fig 7:", "Static gains 13 %"),
    ("dynamic", "S4", "Fig 7:", "Dynamic gains 28 %"),
    ("coordinated", "S4", "Fig 7:", "Coordinated gains 32 %"),
    ("coordinated beside others", "S4", "Fig 10:", "Coordinated gains 32 %"),
]
SAME = 0.02  # a speed-up within this of 1 is neither a gain nor a loss

# ---- runs ----


def out_of(command):
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    if done.returncode != 0:
        sys.exit(f"designs: {' '.join(map(str, command))}\n{done.stderr}")
    return done.stdout


def state(weir, machine):
    text = out_of([weir, "--version"]) + out_of([weir, "help", "gpu", machine])
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def resource_stalls(run):
    return sum(run["sm"][k] for k in ("stall_line", "stall_mshr", "stall_merge", "stall_queue"))


def part(name, *fields):
    return {f"{name}.{f}": lambda run, f=f: run["parts"].get(name, {}).get(f) for f in fields}


COLUMNS = {
    "launches": lambda run: run["launches"],
    "cycles": lambda run: run["cycles"],
    "loads": lambda run: run["l1"]["loads"],
    "hits_let_in": lambda run: run["derived"]["hit_rate_l1"],
    "hits": lambda run: run["derived"]["hit_rate_stream"],
    "bypassed": lambda run: run["derived"]["bypass_rate"],
    "resource_stalls": resource_stalls,
    "misses": lambda run: run["l1"]["misses"],
    "fills": lambda run: run["l1"]["fills"],
    "evictions": lambda run: run["l1"]["evictions"],
    "evictions_unused": lambda run: run["l1"]["evictions_unused"],
    "request_flits": lambda run: run["l1"]["request_flits"],
    "reply_flits": lambda run: run["l1"]["reply_flits"],
    "sectors": lambda run: run["l1"]["sectors"],
    "l2_hits": lambda run: run["derived"]["l2_hit_rate"],
    "dram": lambda run: run["dram"]["reads"] + run["dram"]["writes"],
    "row_hits": lambda run: run["dram"]["row_hits"],
    "row_changes": lambda run: run["dram"]["row_misses"] + run["dram"]["row_conflicts"],
    "energy": lambda run: run["energy"]["total_nj"],
    **part("pc-bypass", "coverage", "false_of_bypass_predictions", "fills_prevented"),
    **part("two-level", "code_low", "code_high", "code_between", "few", "sampled_miss_rate", "mean_warps"),
    **part("decoupled", "cycles_decoupled", "cycles_original", "end_new", "end_original", "end_follower"),
    **part("tag-split", "lines_per_set"),
    **part("tsc-plus", "fine", "coarse", "end_sampler", "end_follower"),
    **part("coordinated", "ca_loads", "cm_loads", "cg_bypassed", "cm_bypassed", "blocks", "blocks_bg",
           "mean_last_target"),
}


def scheme_of(row):
    """A file's name without its folder and its ending."""
    return pathlib.Path(row["scheme"]).stem if row["scheme"].endswith(".yaml") else row["scheme"]


def mean(values):
    values = [v for v in values if v is not None]
    return sum(values) / len(values) if values else None


def rows_of(result):
    for cell in result["cells"]:
        runs = [r for r in result["runs"] if r["scheme"] == cell["scheme"] and r["status"] == "ok"]
        if not runs:
            sys.exit(f"designs: {cell['workload']} with {cell['scheme']} on {cell['gpu']} failed")
        row = {"workload": cell["workload"], "scheme": scheme_of(cell), "speedup": cell["speedup"],
               "low": cell["speedup_low"], "high": cell["speedup_high"]}
        row.update({name: mean([of(r) for r in runs]) for name, of in COLUMNS.items()})
        yield {k: "" if v is None else v if isinstance(v, str) else f"{v:.6g}" for k, v in row.items()}


def geometric_rows(folder, workloads):
    """weir's own means need all workloads in one comparison: they are made from the seeds of the runs here."""
    by_scheme = {}
    for name in workloads:
        result = json.loads((folder / f"{name}.json").read_text())
        base = {r["seed"]: r["cycles"] for r in result["runs"] if r["scheme"] == result["baseline"]}
        for r in result["runs"]:
            by_scheme.setdefault(scheme_of(r), {}).setdefault(r["seed"], []).append(math.log(base[r["seed"]] / r["cycles"]))
    t = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 8: 2.365, 10: 2.262}[REPEATS]
    for scheme, seeds in by_scheme.items():
        logs = [sum(v) / len(v) for v in seeds.values()]
        centre = mean(logs)
        half = t * math.sqrt(sum((x - centre) ** 2 for x in logs) / (len(logs) - 1) / len(logs))
        yield {"workload": "geometric mean", "scheme": scheme, "speedup": f"{math.exp(centre):.6g}",
               "low": f"{math.exp(centre - half):.6g}", "high": f"{math.exp(centre + half):.6g}"}


def compared(args, machine, workloads):
    """The folder that has the comparisons of these workloads; those that it has not are made."""
    schemes = CONTROLS + STUDIES[machine]
    folder = args.work / f"{machine}-{state(args.weir, machine)}"
    folder.mkdir(parents=True, exist_ok=True)
    for name in workloads:
        path = folder / f"{name}.json"
        if path.exists():
            continue
        print(f"{machine}: {name}", file=sys.stderr, flush=True)
        fresh = path.with_suffix(".new")
        out_of([args.weir, "compare", name, "-i", "eval", "-g", machine, "-r", str(REPEATS), "-q", "--no-provenance",
                "-S", ",".join(FILES.get(s, s) for s in schemes), "--json", fresh])
        fresh.replace(path)
    return folder


def run(args):
    of_eval = names(args.weir)
    for machine in args.machines.split(","):
        folder = compared(args, machine, of_eval)
        with open(RESULTS / f"{machine}.csv", "w", newline="", encoding="utf-8") as f:
            out = csv.DictWriter(f, ["workload", "scheme", "speedup", "low", "high", *COLUMNS], lineterminator="\n")
            out.writeheader()
            for name in of_eval:
                out.writerows(rows_of(json.loads((folder / f"{name}.json").read_text())))
            out.writerows(geometric_rows(folder, of_eval))


def verify(args):
    """Are results what this program makes of them? All counters of each row, to the last digit that is kept."""
    of_eval = names(args.weir)
    wanted = args.workloads.split(",") if args.workloads else of_eval
    if unknown := [w for w in wanted if w not in of_eval]:
        sys.exit(f"designs: verify: no workload with input eval is called {', '.join(unknown)}")
    n, differ = 0, 0
    for machine in args.machines.split(","):
        with open(RESULTS / f"{machine}.csv", newline="", encoding="utf-8") as f:
            kept = {(r["workload"], r["scheme"]): r for r in csv.DictReader(f)}
        folder = compared(args, machine, wanted)
        for name in wanted:
            for row in rows_of(json.loads((folder / f"{name}.json").read_text())):
                n += 1
                was = kept.get((name, row["scheme"]), {})
                if found := [k for k in row if row[k] != was.get(k)]:
                    differ += 1
                    print(f"{machine}, {name} with {row['scheme']}: "
                          + ", ".join(f"{k} {was.get(k, 'missing')} is {row[k]} now" for k in found[:3]))
    print(f"{n} rows made again, {differ} differ")
    sys.exit(differ > 0)


def why(args):
    for machine, (designs, cases) in WHY.items():
        if machine not in args.machines.split(","):
            continue
        lines = []
        for name, settings in cases.items():
            print(f"why: {machine}, {name}", file=sys.stderr, flush=True)
            result = json.loads(out_of([
                args.weir, "compare", "-w", WHY_WORKLOADS, "-i", "eval", "-g", machine, "-q", "--no-provenance", "-S",
                ",".join(FILES.get(s, s) for s in CONTROLS + designs), "--json", "-",
                *(word for x in settings for word in ("-s", x))]))
            lines += [{"workload": name, "scheme": scheme_of(row), "speedup": f"{row['speedup']:.6g}"}
                      for row in result["means"]]
        with open(RESULTS / f"why-{machine}.csv", "w", newline="", encoding="utf-8") as f:
            out = csv.DictWriter(f, ["workload", "scheme", "speedup"], lineterminator="\n")
            out.writeheader()
            out.writerows(lines)


def bounds(args):
    with open(RESULTS / "bounds.csv", "w", newline="", encoding="utf-8") as f:
        out = csv.DictWriter(f, ["gpu", "workload", "scheme", "speedup", "hits"], lineterminator="\n")
        out.writeheader()
        for machine in STUDIES:
            print(f"bounds: {machine}", file=sys.stderr, flush=True)
            result = json.loads(out_of([args.weir, "compare", "kernels", "-i", "eval", "-g", machine, "-q", "--no-provenance",
                                        "-S", "baseline,opt,opt-chunk", "--store", args.store, "--json", "-"]))
            out.writerows({"gpu": machine, "workload": r["workload"], "scheme": r["scheme"], "speedup": f"{r['speedup']:.6g}",
                           "hits": f"{r['derived']['hit_rate_stream'] or 0:.6g}"} for r in result["runs"])
            out.writerows({"gpu": machine, "workload": "geometric mean", "scheme": r["scheme"],
                           "speedup": f"{r['speedup']:.6g}", "hits": f"{r['hit_rate_stream'] or 0:.6g}"}
                          for r in result["means"])


def every(args):
    result = json.loads(out_of([args.weir, "compare", "kernels", "-S", "all", "-i", "profile", "-g", "fermi-s3", "--check", "-q",
                                "--no-provenance", "--store", args.store, "--json", "-"]))
    chosen = {(x["scheme"], x["workload"]): x["best"] for x in result.get("searches", [])}
    with open(RESULTS / "all-fermi-s3.csv", "w", newline="", encoding="utf-8") as f:
        out = csv.DictWriter(f, ["workload", "scheme", "certainty", "speedup", "hits", "bypassed", "storage_bits", "best"],
                             lineterminator="\n")
        out.writeheader()
        for r in result["runs"]:
            out.writerow({"workload": r["workload"], "scheme": r["scheme"], "certainty": r.get("certainty", "text"),
                          "speedup": f"{r['speedup']:.6g}", "hits": f"{r['derived']['hit_rate_stream'] or 0:.6g}",
                          "bypassed": f"{r['derived']['bypass_rate'] or 0:.6g}",
                          "storage_bits": "" if r["storage_bits"] is None else r["storage_bits"],
                          "best": chosen.get((r["scheme"], r["workload"]), "")})


# ---- tables ----


def read(path):
    """{workload: {scheme: {column: number}}}, in the order of the file."""
    cells = {}
    with open(path, newline="", encoding="utf-8") as f:
        for row in csv.DictReader(f):
            numbers = {k: float(v) for k, v in row.items() if v and k not in ("workload", "scheme", "gpu", "input")}
            cells.setdefault(row["workload"], {})[row["scheme"]] = numbers
    return cells


def table(head, lines):
    return ["| " + " | ".join(head) + " |", "| --- |" + " ---: |" * (len(head) - 1),
            *("| " + " | ".join(line) + " |" for line in lines)]


def with_interval(cell):
    half = (cell["high"] - cell["low"]) / 2
    same = "≈" if cell["low"] <= 1 <= cell["high"] else ""
    return f"{same}{cell['speedup']:.3f}" + (f" ±{half:.3f}" if half >= 0.0005 else "")


def best_random(of):
    return max(RANDOM, key=lambda s: of[s]["speedup"])


def full(machine):
    """Speed-ups of all schemes, with their intervals."""
    cells = read(RESULTS / f"{machine}.csv")
    schemes = [s for s in [*CONTROLS, *STUDIES[machine]] if s != "baseline"]
    head = ["workload"] + [f"random {RANDOM[s]} %" if s in RANDOM else s for s in schemes]
    return table(head, [[w] + [with_interval(of[s]) for s in schemes] for w, of in cells.items()])


def means():
    """Each design's geometric mean before and now, and what random bypassing gets."""
    lines = []
    for machine, designs in STUDIES.items():
        all_now, old = read(RESULTS / f"{machine}.csv"), before(machine)
        now = all_now["geometric mean"]
        best = best_random(now)
        for s in ["bypass-all", *designs]:
            verdict = ("above" if now[s]["low"] > now[best]["high"] else
                       "below" if now[s]["high"] < now[best]["low"] else "≈")
            shared = [w for w, of in old.items() if s in of]
            was = geometric_mean(old[w][s] for w in shared)
            same = geometric_mean(all_now[w][s]["speedup"] for w in shared)
            lines.append([machine, s, was, same, with_interval(now[s]),
                          f"{with_interval(now[best])} ({RANDOM[best]} %)", verdict])
    return table(["machine", "scheme", "0.2.0, fourteen workloads", "now, the same", "now, all sixteen",
                  "random at its best", "against random"], lines)


def gain_of(speedup, bound):
    """How much of what the bound gains."""
    return "-" if bound < 1 + SAME else f"{100 * (speedup - 1) / (bound - 1):.0f} %"


def summary():
    """Each paper's design on its machine: against the coin, and against what could be had."""
    lines = []
    with open(RESULTS / "bounds.csv", newline="", encoding="utf-8") as f:
        found = {(r["gpu"], r["workload"], r["scheme"]): float(r["speedup"]) for r in csv.DictReader(f)}
    for design, machine in PAPERS.items():
        cells = read(RESULTS / f"{machine}.csv")
        all_of = cells["geometric mean"]
        coin = best_random(all_of)
        mine, other = all_of[design], all_of[coin]
        verdict = "more" if mine["low"] > other["high"] else "less" if mine["high"] < other["low"] else "no difference"
        wins = [w for w, of in cells.items() if w != "geometric mean" and of[design]["low"] > of[coin]["high"]
                and of[design]["low"] > 1]
        kind = "opt-chunk" if design in PARTS else "opt"
        bound = found[machine, "geometric mean", kind]
        lines.append([design, machine, with_interval(mine), f"{with_interval(other)} ({RANDOM[coin]} %)", verdict,
                      f"{len(wins)} of {len(cells) - 1}", f"{bound:.3f} ({kind})", gain_of(mine["speedup"], bound),
                      gain_of(other["speedup"], found[machine, "geometric mean", "opt"])])
    return table(["design", "machine", "speed-up", "the coin's", "than the coin", "workloads that it wins", "the bound's",
                  "has of that gain", "the coin has"], lines)


def papers():
    """Each paper's mean gain of its own design, on its own programs: there, here, by chance and of the bound."""
    found, lines = reproduced.claims(), []
    for design, paper, figure, says in HEADLINES:
        of = reproduced.claim(found, paper, figure, says)
        here = of.range() if of.here is not None else "-" if of.mean is None else f"{of.mean:.3f}"
        lines.append([design, f"{paper} {figure.rstrip(':')}", "-" if of.paper is None else f"{of.paper:.3f}", here,
                      *("-" if x is None else f"{x:.3f}" for x in (of.chance, of.bound)), of.verdict])
    return table(["design", "figure", "the paper", "here (over what is open)", "by chance", "the bound's", "verdict"], lines)


def claims():
    """How many claims of each paper came out."""
    found, lines = reproduced.claims(), []
    for paper in sorted({c.paper_name for c in found}):
        of = [c.verdict for c in found if c.paper_name == paper]
        lines.append([paper, *(str(of.count(v)) for v in reproduced.VERDICTS)])
    return table(["paper", *reproduced.VERDICTS], lines)


def everything():
    """Every scheme on one machine, by geometric mean."""
    of, said = {}, {}
    with open(RESULTS / "all-fermi-s3.csv", newline="", encoding="utf-8") as f:
        for r in csv.DictReader(f):
            of.setdefault(r["scheme"], []).append((float(r["speedup"]), float(r["hits"]), float(r["bypassed"])))
            said[r["scheme"]] = r["scheme"] if r["certainty"] == "text" else f"{r['scheme']} ({r['certainty']})"
    means_of = {s: math.exp(mean([math.log(x[0]) for x in v])) for s, v in of.items()}
    lines = []
    for s in sorted(means_of, key=lambda x: -means_of[x]):
        bound = means_of["opt-chunk" if s in PARTS else "opt"]
        lines.append([said[s], f"{means_of[s]:.3f}", "" if s in ("opt", "opt-chunk") else gain_of(means_of[s], bound),
                      f"{means_of[s] / means_of['random-best']:.3f}", f"{100 * mean([x[1] for x in of[s]]):.0f}",
                      f"{100 * mean([x[2] for x in of[s]]):.0f}",
                      f"{sum(x[0] > 1 + SAME for x in of[s])} / {sum(x[0] < 1 - SAME for x in of[s])}"])
    return table(["scheme", "speed-up", "of possible gain", "to the best coin", "hits, % of loads", "bypassed, %",
                  "gains / loses more than 2 %"], lines)


def geometric_mean(values):
    logs = [math.log(v) for v in values]
    return f"{math.exp(sum(logs) / len(logs)):.3f}" if logs else "-"


def before(machine):
    """{workload: {scheme: speed-up}} of version 0.2.0."""
    found = {}
    for path in sorted((RESULTS / "0.2.0").glob("*.csv")):
        if path.stem.startswith("warps"):
            continue
        with open(path, newline="", encoding="utf-8") as f:
            for row in csv.DictReader(f):
                if row["gpu"] == machine and row["speedup"]:
                    found.setdefault(row["workload"], {})[scheme_of(row)] = float(row["speedup"])
    return found


def side(x):
    return 0 if abs(x - 1) <= SAME else 1 if x > 1 else -1


def signs():
    """Gains of 0.2.0 that are losses now, and losses that are gains."""
    lines = []
    for machine, designs in STUDIES.items():
        now, old = read(RESULTS / f"{machine}.csv"), before(machine)
        for s in ["bypass-all", *designs]:
            changed = [f"{w} {old[w][s]:.3f} → {of[s]['speedup']:.3f}" for w, of in now.items()
                       if s in old.get(w, {}) and side(old[w][s]) * side(of[s]["speedup"]) < 0]
            if changed:
                lines.append([machine, s, ", ".join(changed)])
    return table(["machine", "scheme", "from gain to loss or back, by more than 2 % each (0.2.0 → now)"], lines)


def why_table(machine):
    cells = read(RESULTS / f"why-{machine}.csv")
    schemes = [s for s in cells["as it is"] if s != "baseline"]
    head = [machine] + [f"random {RANDOM[s]} %" if s in RANDOM else s for s in schemes]
    return table(head, [[name] + [f"{of[s]['speedup']:.3f}" for s in schemes] for name, of in cells.items()])


def ratio(a, b, digits=2):
    return f"{a / b:.{digits}f}" if b else "-"


def percent(x):
    return "none" if x is None else f"{100 * x:.0f}"


def relative(column):
    return lambda c, base: ratio(c.get(column, 0), base.get(column, 0))


def flits(c, base):
    return ratio(c["request_flits"] + c["reply_flits"], base["request_flits"] + base["reply_flits"])


def rows_open(c):
    return c["row_hits"] / (c["row_hits"] + c["row_changes"]) if c["row_hits"] + c["row_changes"] else None


COUNTERS = {
    "resource stalls": relative("resource_stalls"),
    "fills": relative("fills"),
    "hits, % of loads let in": lambda c, base: percent(c.get("hits_let_in")),
    "flits": flits,
    "DRAM": relative("dram"),
    "row hits %": lambda c, base: percent(rows_open(c)),
}


def beside(machine, design):
    """The counters of a design and of random bypassing at its best mean, on the same workloads."""
    cells = read(RESULTS / f"{machine}.csv")
    control = best_random(cells["geometric mean"])
    head = ["workload", design, f"random {RANDOM[control]} %"]
    head += [f"{name}: baseline, {design}, random" if "%" in name else f"{name}: {design}, random" for name in COUNTERS]
    lines = []
    for w, of in cells.items():
        line = [w, with_interval(of[design]), with_interval(of[control])]
        if w == "geometric mean":
            lines.append(line + [""] * len(COUNTERS))
            continue
        base = of["baseline"]
        for name, f in COUNTERS.items():
            shown = ([base] if "%" in name else []) + [of[design], of[control]]
            line.append(" / ".join(f(c, base) for c in shown))
        lines.append(line)
    return table(head, lines)


def own(machine, design, columns):
    """What only this design counts."""
    cells = read(RESULTS / f"{machine}.csv")
    return table(["workload", *columns], [[w] + [f(of[design], of["baseline"]) for f in columns.values()]
                                          for w, of in cells.items() if w != "geometric mean"])


def get(column, form="{:.0f}", scale=1):
    return lambda c, base: form.format(scale * c[column]) if column in c else "-"


def share(c, *columns):
    total = sum(c.get(k, 0) for k in columns)
    return " / ".join(f"{100 * c.get(k, 0) / total:.0f}" if total else "-" for k in columns)


TABLES = {
    "summary": summary,
    "papers": papers,
    "claims": claims,
    "all fermi-s3": everything,
    "means": means,
    "signs": signs,
    **{f"why {m}": lambda m=m: why_table(m) for m in WHY},
    **{f"full {m}": lambda m=m: full(m) for m in STUDIES},
    **{f"beside {m} {d}": lambda m=m, d=d: beside(m, d)
       for m, d in (("fermi-s0", "decoupled"), ("pascal-s1", "two-level"), ("gcn-s2", "pc-bypass"),
                    ("fermi-s3", "tsc+"), ("fermi-s4", "coordinated"))},
    "own decoupled": lambda: own("fermi-s0", "decoupled", {
        "unused lines evicted": relative("evictions_unused"),
        "in decoupled mode, % of cycles": lambda c, b: share(c, "decoupled.cycles_decoupled",
                                                             "decoupled.cycles_original").split(" ")[0],
        "leaders end (new, original)": lambda c, b: f"{c['decoupled.end_new'] / c['launches']:,.0f}, "
                                                    f"{c['decoupled.end_original'] / c['launches']:,.0f}",
        "followers end (mean)": get("decoupled.end_follower", "{:,.0f}"),
    }),
    "own two-level": lambda: own("pascal-s1", "two-level", {
        "sampled misses %": get("two-level.sampled_miss_rate", scale=100),
        "warps": get("two-level.mean_warps"),
        "samples: low / high / between / few": lambda c, b: " / ".join(
            f"{c['two-level.' + k]:.0f}" for k in ("code_low", "code_high", "code_between", "few")),
        "bypassed %": get("bypassed", scale=100),
    }),
    "own pc-bypass": lambda: own("gcn-s2", "pc-bypass", {
        "coverage %": get("pc-bypass.coverage", scale=100),
        "false, % of bypass predictions": get("pc-bypass.false_of_bypass_predictions", "{:.1f}", 100),
        "fills prevented %": get("pc-bypass.fills_prevented", scale=100),
        "unused lines evicted": relative("evictions_unused"),
    }),
    "own tsc+": lambda: own("fermi-s3", "tsc+", {
        "lines in a set": get("tag-split.lines_per_set", "{:.1f}"),
        "misses": relative("misses"),
        "flits to the L2": relative("request_flits"),
        "flits back": relative("reply_flits"),
        "coarse %": lambda c, b: share(c, "tsc-plus.coarse", "tsc-plus.fine").split(" ")[0],
        "SM 0 ends": lambda c, b: f"{c['tsc-plus.end_sampler'] / c['launches']:,.0f}",
        "others (mean)": get("tsc-plus.end_follower", "{:,.0f}"),
    }),
    "own coordinated": lambda: own("fermi-s4", "coordinated", {
        "requests of ca / cm / cg loads, %": lambda c, b: share(
            {"ca": c.get("coordinated.ca_loads", 0),
             "cm": c.get("coordinated.cm_loads", 0) + c.get("coordinated.cm_bypassed", 0),
             "cg": c.get("coordinated.cg_bypassed", 0)}, "ca", "cm", "cg"),
        "blocks that bypass, %": lambda c, b: ratio(100 * c.get("coordinated.blocks_bg", 0),
                                                    c.get("coordinated.blocks", 0), 0),
        "target at the end": get("coordinated.mean_last_target", "{:.1f}"),
    }),
}


def tables(args):
    for page in PAGES:
        text = page.read_text(encoding="utf-8")

        def fresh(found):
            return f"<!-- {found[1]} -->\n\n" + "\n".join(TABLES[found[1]]()) + "\n\n<!-- end -->"
        names = re.findall(r"<!-- ((?!end)[^>]*?) -->", text)
        unknown = [n for n in names if n not in TABLES]
        if unknown:
            sys.exit(f"designs: {page.name}: no table is called {', '.join(unknown)}")
        made = re.sub(r"<!-- ((?!end)[^>]*?) -->\n.*?<!-- end -->", fresh, text, flags=re.S)
        if args.check and made != text:
            sys.exit(f"designs: {page.relative_to(ROOT)} is not what the results say: tools/designs.py tables")
        if not args.check:
            page.write_text(made, encoding="utf-8")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    sub = p.add_subparsers(required=True)
    r = sub.add_parser("run")
    r.add_argument("--weir", default=ROOT / "build/weir")
    r.add_argument("--work", type=pathlib.Path, default=ROOT / "out/designs")
    r.add_argument("--machines", default=",".join(STUDIES))
    r.set_defaults(do=run)
    v = sub.add_parser("verify")
    v.add_argument("--weir", default=ROOT / "build/weir")
    v.add_argument("--work", type=pathlib.Path, default=ROOT / "out/designs")
    v.add_argument("--machines", default=",".join(STUDIES))
    v.add_argument("--workloads", help="some of those with input eval (default: all)")
    v.set_defaults(do=verify)
    w = sub.add_parser("why")
    w.add_argument("--weir", default=ROOT / "build/weir")
    w.add_argument("--machines", default=",".join(WHY))
    w.set_defaults(do=why)
    b = sub.add_parser("bounds")
    b.add_argument("--weir", default=ROOT / "build/weir")
    b.add_argument("--store", default=ROOT / "out/all.db")
    b.set_defaults(do=bounds)
    a = sub.add_parser("all")
    a.add_argument("--weir", default=ROOT / "build/weir")
    a.add_argument("--store", default=ROOT / "out/all.db")
    a.set_defaults(do=every)
    t = sub.add_parser("tables")
    t.add_argument("--check", action="store_true")
    t.set_defaults(do=tables)
    args = p.parse_args()
    args.do(args)


if __name__ == "__main__":
    main()
