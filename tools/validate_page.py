"""The page of the validation: what a GPU counted beside what weir says, and how far apart they are; of validate.py.

A value of the GPU is the median of its repeats, of sums over the launches, less what as many empty launches cost. An
error is weir's value less the GPU's: of rates in points, of all else in percent of the GPU's.
"""
import math
import re
import statistics
import textwrap

import ranks

LONG = 20000  # cycles: shorter launches are mostly what a launch costs
FASTER = 1.05  # a ratio of cycles beyond which one of two is faster
EFFECT = 1.5  # how far an effect may be from the GPU's
UNLIKE = 1.1  # launches of a workload whose cycles differ by more than that are shown one by one
PAIRS = [("`.ca` or `.cg`", "default", "ca", "cg", "cg"),
         ("a large or a small L1", "l1-large", "large", "l1-small", "small")]


def ratio(a, b):
    return a / b if b else None


class Quantity:
    """gpu and weir: of a function that gives the sum of a metric over launches, a number or None."""

    def __init__(self, name, gpu, weir=None, is_rate=False):
        self.name, self.gpu, self.weir, self.is_rate = name, gpu, weir or gpu, is_rate

    def error(self, gpu, weir):
        """Points or percent; None if there is no such thing."""
        if gpu is None or weir is None:
            return None
        if self.is_rate:
            return 100 * (weir - gpu)
        return 100 * (weir - gpu) / gpu if gpu else 0.0 if weir == 0 else None

    def text(self, x):
        return "-" if x is None else f"{100 * x:.1f}" if self.is_rate else f"{x:,.0f}"


def of_lookups(misses, lookups):
    return ratio(lookups - misses, lookups)


QUANTITIES = [
    Quantity("instructions", lambda of: of("inst")),
    Quantity("L1 load sectors", lambda of: of("l1_ld_sectors")),
    Quantity("L1 hit rate, %", lambda of: ratio(of("l1_ld_hits"), of("l1_ld_hits") + of("l1_ld_misses")),
             lambda of: of_lookups(of("l1_ld_misses"), of("l1_ld_sectors") + of("l1_local_sectors")), is_rate=True),
    Quantity("L2 read sectors", lambda of: of("l2_tex_reads")),
    Quantity("L2 hit rate, %", lambda of: ratio(of("l2_tex_read_hits"), of("l2_tex_reads")), is_rate=True),
    Quantity("L2 write sectors", lambda of: of("l2_tex_writes")),
    Quantity("DRAM read bytes", lambda of: 32 * of("dram_rd_sectors")),
    Quantity("DRAM written bytes", lambda of: 32 * of("dram_wr_sectors")),
    Quantity("cycles", lambda of: of("sm_cycles")),
]
CYCLES = QUANTITIES[-1]
NEEDED = ["inst", "l1_ld_sectors", "l1_ld_hits", "l1_ld_misses", "l2_tex_reads", "l2_tex_read_hits", "l2_tex_writes",
          "dram_rd_sectors", "dram_wr_sectors", "sm_cycles"]


def launches_of(table, workload):
    """Launches for which every repeat has every counter that is needed."""
    there = table.values[workload]
    sets = [set(table.common(workload, m)) if m in there else set() for m in NEEDED]
    return sorted(set.intersection(*sets))


def on_gpu(table, workload, quantity, launches):
    """[one number or None per repeat]"""
    repeats = sorted(set.intersection(*(set(table.values[workload][m]) for m in NEEDED)))

    def summed(repeat):
        return lambda m: sum(max(0.0, table.values[workload][m][repeat][n] - table.overhead(m)) for n in launches)
    return [quantity.gpu(summed(r)) for r in repeats]


def in_weir(stored, workload, quantity, launches):
    found = stored.launches[workload]
    return quantity.weir(lambda m: sum(found[n][1][m] for n in launches))


def median(values):
    values = [v for v in values if v is not None]
    return statistics.median(values) if values else None


class Cell:
    """A quantity of some launches on both sides. noise: how far a repeat is from the median on average, as an error."""

    def __init__(self, quantity, repeats, weir):
        self.quantity, self.repeats, self.weir, self.gpu = quantity, repeats, weir, median(repeats)
        self.error = quantity.error(self.gpu, weir)
        apart = [quantity.error(self.gpu, r) for r in repeats]
        known = [abs(e) for e in apart if e is not None]
        self.noise = sum(known) / len(known) if known else None

    def text(self):
        q = self.quantity
        error = "-" if self.error is None else f"{self.error:+.1f}" + ("" if q.is_rate else " %")
        return f"{q.text(self.gpu)} / {q.text(self.weir)} / {error}"


class Side:
    """A configuration on both sides: cells[workload] of all launches, single[workload][launch] of each."""

    def __init__(self, table, stored):
        self.name, self.table, self.stored = table.name, table, stored
        self.cells, self.single, self.launches = {}, {}, {}
        self.missing = sorted(w for w in table.workloads() if w not in stored.keys)
        for w in sorted(table.workloads()):
            wanted = launches_of(table, w)
            if not wanted or any(n not in stored.launches.get(w, {}) for n in wanted):
                continue
            self.launches[w] = wanted
            self.cells[w] = self.row(w, wanted)
            self.single[w] = {n: self.row(w, [n]) for n in wanted}

    def row(self, workload, launches):
        return [Cell(q, on_gpu(self.table, workload, q, launches), in_weir(self.stored, workload, q, launches))
                for q in QUANTITIES]

    def is_mixed(self, workload):
        """Do its launches differ?"""
        kernels = {self.stored.launches[workload][n][0] for n in self.launches[workload]}
        cycles = [of[-1].gpu for of in self.single[workload].values()]
        return len(cycles) > 1 and (len(kernels) > 1 or max(cycles) > UNLIKE * max(1.0, min(cycles)))


# ---- Markdown

def wrap(text):
    """Its lines, as a paragraph or as an item of a list."""
    return textwrap.wrap(text, 120, break_long_words=False, break_on_hyphens=False,
                         subsequent_indent="  " if text.startswith("- ") else "")


def grid(head, lines, words=1):
    """Rows of a table; the first `words` columns are text."""
    return ["| " + " | ".join(head) + " |", "|" + " --- |" * words + " ---: |" * (len(head) - words),
            *("| " + " | ".join(line) + " |" for line in lines)]


def number(x, form="{:.1f}"):
    return "-" if x is None else re.sub(r"^-(?=[0.]+$)", "", form.format(x))  # no -0.0


def mean(values):
    return sum(values) / len(values) if values else None


# ---- sums

def summed_up(name, rows):
    """A line for each quantity of [(where, cells)]."""
    lines = []
    for i, q in enumerate(QUANTITIES):
        errors = {where: abs(cells[i].error) for where, cells in rows if cells[i].error is not None}
        noise = [cells[i].noise for _, cells in rows if cells[i].noise is not None]
        worst = max(sorted(errors), key=errors.get) if errors else "-"
        lines.append([name, q.name, "points" if q.is_rate else "%", str(len(errors)),
                      number(mean(list(errors.values()))), number(median(errors.values())),
                      number(errors.get(worst)), worst, number(mean(noise), "{:.2f}")])
    return lines


def factor(a, b):
    """How many times as large the larger is; None if one of them is nothing."""
    return max(a, b) / min(a, b) if a and b and min(a, b) > 0 else None


def long_launches(side):
    """[(workload, launch, cell of its cycles)] of those above LONG cycles on the GPU."""
    return [(w, n, cells[-1]) for w, of in side.single.items() for n, cells in of.items() if cells[-1].gpu > LONG]


def factor_line(name, launches):
    """Of [(where, cell)]."""
    found = {where: f for where, c in launches if (f := factor(c.gpu, c.weir)) is not None}
    repeats = [f for _, c in launches if (f := factor(max(c.repeats), min(c.repeats))) is not None]
    worst = max(sorted(found), key=found.get) if found else "-"
    mid = math.exp(mean([math.log(f) for f in found.values()])) if found else None
    return [name, str(len(found)), number(mid, "{:.2f}"), number(found.get(worst), "{:.2f}"), worst,
            number(max(repeats, default=None), "{:.2f}")]


# ---- verdicts

def says(speedup, first, second):
    """Which of the two is faster; speedup: cycles of the first over those of the second."""
    return second if speedup > FASTER else first if speedup < 1 / FASTER else "same"


class Verdict:
    """Which of two configurations is faster for a workload, on the GPU and in weir."""

    def __init__(self, workload, a, b, first, second):
        self.workload = workload
        self.gpu, self.weir = ratio(a.gpu, b.gpu), ratio(a.weir, b.weir)
        self.of_gpu, self.of_weir = says(self.gpu, first, second), says(self.weir, first, second)
        extremes = [ratio(x, y) for x, y in ((max(a.repeats), min(b.repeats)), (min(a.repeats), max(b.repeats)))]
        self.is_clear = all(e is not None and says(e, first, second) == self.of_gpu for e in extremes)
        self.is_right = self.of_gpu == self.of_weir
        # 1: as large as on the GPU; 0: none; below: the other way.
        self.effect = math.log(self.weir) / math.log(self.gpu) if self.of_gpu != "same" and self.weir > 0 else None

    def line(self):
        return [self.workload, number(self.gpu, "{:.3f}"), number(self.weir, "{:.3f}"),
                self.of_gpu + ("" if self.is_clear else " (within noise)"), self.of_weir,
                "right" if self.is_right else "**wrong**", number(self.effect, "{:.2f}")]


def verdicts(one, other, first, second):
    """[Verdict] of the workloads that both sides have, over the launches that both have."""
    found = []
    for w in sorted(set(one.cells) & set(other.cells)):
        launches = [n for n in one.launches[w] if n in other.launches[w]]
        a, b = (Cell(CYCLES, on_gpu(s.table, w, CYCLES, launches), in_weir(s.stored, w, CYCLES, launches))
                for s in (one, other))
        if launches and a.gpu and b.gpu and a.weir and b.weir and min(a.gpu, b.gpu) > 0:
            found.append(Verdict(w, a, b, first, second))
    return found


def verdict_text(found):
    """How many are right."""
    apart = [v for v in found if v.of_gpu != "same"]
    clear = [v for v in apart if v.is_clear]
    alarms = [v for v in found if v.of_gpu == "same" and v.of_weir != "same"]
    effects = [v.effect for v in apart if v.effect is not None]
    return (f"weir is right about {sum(v.is_right for v in found)} of {len(found)} workloads. One of the two is faster "
            f"on the GPU for {len(apart)} of them, and weir says so of {sum(v.is_right for v in apart)}; where it is "
            f"so whatever repeats are taken, {len(clear)} and {sum(v.is_right for v in clear)}. Of the other "
            f"{len(found) - len(apart)}, weir has one faster for {len(alarms)}. Median of the effects: "
            f"{number(median(effects), '{:.2f}')}; {sum(1 / EFFECT <= e <= EFFECT for e in effects)} of {len(effects)} lie "
            f"between 1/{EFFECT} and {EFFECT}. Rank correlation of the ratios of all: "
            f"{number(ranks.spearman([v.gpu for v in found], [v.weir for v in found]), '{:.2f}')}.")


# ---- rings

# A walk of n steps in the L1 takes 32 n + 73 cycles by the GPU's clock (chase_short), and 32 n + 26 of weir's.
READING_CYC, OUR_READING_CYC = 73, 26


def rings_of(text):
    """{(kind, carve, bytes): (cycles per step of the first walk, of the second)} of a table of tools/hw/micro.sh, less
    what the readings of the clock take."""
    found = {}
    for line in text.splitlines():
        cells = line.split("\t")
        if len(cells) != 4 or cells[0] not in ("chase", "chase_large") or cells[2] != "cyc_per_step.med":
            continue
        with_keys = dict(re.findall(r"(\w+)=(\S+)", cells[1]))
        if with_keys["mode"] == "pointer":
            ring = (with_keys["kind"], with_keys["carve"], int(with_keys["bytes"]))
            found.setdefault(ring, {})[with_keys["walk"]] = float(cells[3]) - READING_CYC / (ring[2] / 128)
    return {ring: (walks["1"], walks["2"]) for ring, walks in found.items() if len(walks) == 2}


def ring_part(gpu, weir):
    """Pointer chases; weir: as validate_weir.read_rings has them."""
    lines, errors = [], ([], [])
    for ring in sorted(set(gpu) & set(weir)):
        line = [ring[0], ring[1], f"{ring[2] // 1024:,}"]
        for i in (0, 1):
            here, there = weir[ring][1 + i] - OUR_READING_CYC / (ring[2] / 128), gpu[ring][i]
            errors[i].append(abs(100 * (here - there) / there))
            line += [f"{there:.1f}", f"{here:.1f}", f"{100 * (here - there) / there:+.1f} %"]
        lines.append(line)
    if not lines:
        return []
    return ["## Fitted: pointer chases", "", *wrap(
        "One thread walks a ring of pointers 128 bytes apart, shuffled, twice; before it the L2 has none of them. The "
        "machine's latencies and sizes were chosen by measurements like these: this says whether the model can be as "
        f"the GPU is, not whether it predicts anything. Mean error over {len(lines)} rings: {mean(errors[0]):.1f} % of "
        f"the first walk, {mean(errors[1]):.1f} % of the second. Cycles for a step, less what the readings of the clock take of each walk (73 of the GPU's, `chase_short`, 26 of weir's); carve: the preferred carve-out, "
        "`max_l1` 0 and `min_l1` 100 % shared memory."), "", "<details><summary>Every ring</summary>", "",
        *grid(["loads", "carve", "KB", "first walk, GPU", "weir", "error", "second walk, GPU", "weir", "error"], lines,
              2), "",
        "</details>", ""]


# ---- the page

def head(sides):
    """What was compared."""
    abouts = {s.name: s.stored.about for s in sides}
    known = {tuple(a.get(k, "?") for k in ("machine", "state", "model", "settings")) for a in abouts.values() if a}
    lines = ["# Validation", "", *wrap(
        "Written by `tools/validate.py table` (`make validate`): what a GPU counted for the workloads "
        "([tools/hw](../tools/hw/README.md)) beside what weir says. Nothing in the part *not fitted* was used to "
        "choose a value of the machine or a rule of the model."), ""]
    for state in sorted(known):
        machine, values, model, settings = state
        lines += [f"- weir: machine `{machine}` (values {values}), version {model} of the model" +
                  (f", `{settings}`" if settings else "") +
                  ("" if len(known) == 1 else ": " + ", ".join(n for n, a in abouts.items() if a and state == tuple(
                      a.get(k, "?") for k in ("machine", "state", "model", "settings"))))]
    for gpu in sorted({", driver ".join(s.table.notes[1].split(", ")[:2]) for s in sides if len(s.table.notes) > 1}):
        lines += [f"- GPU: {gpu}"]
    lines += ["- workloads: " + ", ".join(f"{len(s.cells)} with `{s.name}`" for s in sides), ""]
    for s in sides:
        for w, why in sorted(s.stored.failed.items()):
            lines += [f"- `{s.name}`, {w}: weir failed: {why}"]
        for w, why in sorted(s.table.failed.items()):
            lines += [f"- `{s.name}`, {w}: the GPU's run failed: {why}"]
        if s.missing:
            lines += [f"- `{s.name}`: not run here: {', '.join(s.missing)}"]
    lines = [x for line in lines for x in (wrap(line) if line.startswith("- ") else [line])]
    return lines + [""] * (lines[-1] != "")


def notes():
    return wrap(
        "A cell is *GPU / weir / error*. The GPU's values are medians of the repeats, of sums over the launches that "
        "have counters (the first ones), less what as many empty launches cost (instructions, DRAM, cycles). Rates are "
        "those of sectors of global loads, and of what the L1 reads from the L2; a sector that need not be sent for is "
        "a hit ([ncu.md](ncu.md)); their errors are points. Instructions are machine code on the GPU and PTX in weir. "
        "weir's cycles do not have what a launch costs. Where the GPU counts nothing and weir something, there is no "
        "error in percent, and none in the means.")


def summary_part(sides):
    lines, factors = [], []
    for s in sides:
        lines += summed_up(s.name, s.cells.items())
        factors.append(factor_line(s.name, [(f"{w}, launch {n}", c) for w, n, c in long_launches(s)]))
    everything = [(f"{w} ({s.name})", cells) for s in sides for w, cells in s.cells.items()]
    if len(sides) > 1:
        lines += summed_up("all", everything)
        factors.append(factor_line("all", [(f"{w}, launch {n} ({s.name})", c) for s in sides
                                           for w, n, c in long_launches(s)]))
    return ["### Errors", "", *wrap(
        "Mean, median and largest of the absolute errors over workloads. *GPU's noise*: how far a repeat of the GPU is "
        "from the median of its repeats, on average, in the same unit."), "",
        *grid(["configuration", "quantity", "unit", "workloads", "mean error", "median", "largest", "of",
               "GPU's noise"], lines, 3), "",
        *wrap(f"Single launches of more than {LONG:,} cycles on the GPU: the factor between both sides' cycles. *GPU's "
              "noise*: the largest one between two repeats of a launch."), "",
        *grid(["configuration", "launches", "geometric mean", "largest", "of", "GPU's noise"], factors), ""]


def rule_part(sides, rules):
    """What is lost without each rule; rules: [(what, settings, validate_weir.Stored)]."""
    if not rules or sides[0].name != "default":
        return []
    whole, lines = sides[0], []
    chosen = [i for i, q in enumerate(QUANTITIES) if q.name in ("L1 hit rate, %", "L2 read sectors", "L2 hit rate, %")]
    chosen.append(len(QUANTITIES) - 1)

    def line(what, settings, side, base):
        shared = [w for w in side.cells if w in base.cells]
        cells = []
        for i in chosen:
            errors = [(side.cells[w][i].error, base.cells[w][i].error) for w in shared]
            cells.append(number(mean([abs(a) for a, b in errors if a is not None and b is not None])))
        moved = [abs(side.cells[w][-1].weir / base.cells[w][-1].weir - 1) for w in shared if base.cells[w][-1].weir]
        nearer = [abs(base.cells[w][-1].error) - abs(side.cells[w][-1].error) for w in shared]
        return [what, f"`{settings}`" if settings else "", str(len(shared)), *cells, str(sum(m > 0.02 for m in moved)),
                str(sum(n > 2 for n in nearer)), str(sum(n < -2 for n in nearer))]
    lines.append(line("the model as it is", "", whole, whole))
    for what, settings, stored in rules:
        lines.append(line("without " + what, settings, Side(whole.table, stored), whole))
    return ["### What each rule contributes", "", *wrap(
        "Mean absolute errors of the configuration `default` with one rule of the model taken away at a time; in brackets "
        "is what takes its place. *Moved*: workloads whose cycles change by more than 2 %; *nearer* and *further*: those "
        "whose cycles are by more than 2 points of a percent nearer to the GPU's without the rule, or further off. What a "
        "rule is worth where it matters can be lost in a mean over workloads that it does not touch."), "",
        *grid(["", "settings", "workloads", "L1 hit rate, points", "L2 reads, %", "L2 hit rate, points", "cycles, %",
               "moved", "nearer", "further"], lines, 2), ""]


def verdict_part(sides):
    by_name, lines = {s.name: s for s in sides}, []
    for what, one, first, other, second in PAIRS:
        if one not in by_name or other not in by_name:
            continue
        found = verdicts(by_name[one], by_name[other], first, second)
        by = f"{100 * (FASTER - 1):.0f} %"
        if not found:
            continue
        lines += [f"### Verdicts: {what}", "", *wrap(
            f"Cycles with {first} over cycles with {second}; faster is what is so by more than {by}. *Effect*: the "
            "logarithm of weir's ratio over that of the GPU's, where one is faster there: 1 is as much, 0 nothing, "
            "below it the other way. *Within noise*: other repeats give another answer."), "",
            *wrap(verdict_text(found)), "",
            *grid(["workload", f"{first}/{second}, GPU", "weir", "GPU says", "weir says", "", "effect"],
                  [v.line() for v in found]), ""]
    return lines


def workload_part(side):
    head_of = [q.name for q in QUANTITIES]
    lines = [f"### {side.name}", "", *grid(["workload", "launches", *head_of],
                                          [[w, str(len(side.launches[w])), *(c.text() for c in cells)]
                                           for w, cells in side.cells.items()]), ""]
    mixed = [w for w in side.cells if side.is_mixed(w)]
    if mixed:
        lines += [f"<details><summary>Launches of {side.name}, of workloads whose launches differ</summary>", "",
                  *grid(["workload", "launch", "kernel", *head_of],
                        [[w, str(n), f"`{side.stored.launches[w][n][0]}`", *(c.text() for c in cells)]
                         for w in mixed for n, cells in side.single[w].items()], 3), "", "</details>", ""]
    return lines


def page(tables, stored, gpu_rings, weir_rings, rules=()):
    """The text. stored: {config: validate_weir.Stored}; rules: see rule_part"""
    sides = [Side(t, stored[t.name]) for t in tables]
    lines = [*head(sides), *ring_part(gpu_rings, weir_rings), "## Not fitted: workloads", "", *notes(), "",
             *summary_part(sides), *rule_part(sides, rules), *verdict_part(sides)]
    for s in sides:
        lines += workload_part(s)
    return "\n".join(lines).rstrip() + "\n"
