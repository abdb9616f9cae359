#!/usr/bin/env python3
"""Which guesses of the papers' machines decide results? Halves and doubles each of them.

tools/sensitivity.py [--weir build/weir] [--machines A,B] [--workloads A,B] [--work FOLDER] [--output FILE]
tools/sensitivity.py --check FILE     warn where the page was made with other machine files

Every value that 'weir help gpu' shows as a guess is halved and doubled, or takes the next legal values, or each of its
other choices; the geometric mean of each scheme over the workloads is compared with that of the machine as it is.
Loads are classified once, on the machine as it is: a compiler does not know what was guessed. Latencies of instructions
that no workload has are not tried. What was compared is kept in FOLDER (docs/results/sensitivity), by the values of the
machine: run again, it goes on where it was. --kept runs nothing, and leaves out machines that are not complete.

All workloads take hours for each machine. A guess is therefore first screened with the workloads of the smallest inputs
(--screen, chosen by their instructions alone); those that move a mean by a quarter of the limit there are run with all,
but --heavy ones (which take more than half of the time) with their inputs 'test'; those that move a mean by half of the
limit then with all as they are. So are --probe of what was kept out, evenly spread: the page says what they do.

Beside it stands what chance does: the machine as it is on the screen's workloads, with --seeds seeds of delays as
'--repeat' has them; 95 % of all pairs of seeds lie within it.
"""
import argparse
import hashlib
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
MACHINES = "fermi-s0,fermi-s3,fermi-s4,pascal-s1,gcn-s2"
SCHEMES = "baseline,bypass-all,random-bypass,coordinated,decoupled,pc-bypass,tsc,tsc+,two-level"
LIMIT = 0.02
HEAVY = "rowmv,transpose"
SCREEN = "vecadd,gather,workqueue,spmv,wavefront,stencil"
PROBE, SEEDS, JITTER = 8, 8, 16
CLASSES = ("int imax int64 imul imad idiv move pred cvt fp32 fmax fmul ffma fdiv fp64 dmax dmul dfma ddiv sfu load store "
           "atom branch barrier warp fence tensor tex other").split()
BATCH = 4  # machines of a comparison: workloads are executed once for all of them
TRIES = 64


def out_of(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"sensitivity: {' '.join(map(str, command))}\n{done.stderr}")
    return done.stdout


def rows(weir, machine):
    """(parameter, value, source) of every parameter that has an effect."""
    found = []
    for line in out_of([weir, "help", "gpu", machine]).splitlines():
        if line.startswith("no effect here") or line.startswith("sources:"):
            break
        cell = re.match(r"([a-z0-9]+\.\w+)\s+(\S+)\s", line)
        if cell:
            source = re.search(r"\s(\? guess|default)\s", line)
            found.append((cell[1], cell[2], source[1].removeprefix("? ") if source else "given"))
    return found


def state(weir, machine):
    """A hash of the machine's values. Its file does not say those of source 'default': mechanisms that came after it and
    are off (another default would be another version of the model)."""
    text = "".join(f"{key}={value}\n" for key, value, source in rows(weir, machine) if source != "default")
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def is_legal(weir, machine, key, value):
    command = [weir, "explain", "--gpu", machine, "--set", f"{key}={value}", key]
    return subprocess.run(command, capture_output=True).returncode == 0


def number(text):
    scale = {"K": 1024, "M": 1024 ** 2, "G": 1024 ** 3}
    found = re.fullmatch(r"(\d+)([KMG]?)", text)
    return int(found[1]) * scale.get(found[2], 1) if found else None


def others(weir, machine, key, value):
    """The values that take its place: half and double, the next legal ones, or the other choices."""
    v = number(value)
    if v is None:
        accepted = re.search(r"^  accepted\s+(.*)$", out_of([weir, "explain", key]), re.M)
        choices = [c.strip() for c in accepted[1].split(",")] if accepted else []
        return [c for c in choices if c != value and re.fullmatch(r"[\w-]+", c) and is_legal(weir, machine, key, c)]
    half = range(v // 2, min(v, v // 2 + TRIES))
    double = range(2 * v if v > 0 else 1, max(v, 2 * v - TRIES), -1)
    found = [next((str(x) for x in side if is_legal(weir, machine, key, x)), None) for side in (half, double)]
    return [x for x in found if x is not None]


def executed(weir, args):
    """Classes of instructions that the workloads have."""
    runs = json.loads(out_of([weir, "run", *args.workloads.split(","), "-i", args.input, "-f", "-q", "--no-provenance",
                              "--json", "-"]))["runs"]
    return {key.removeprefix("class_") for r in runs for launch in r["launches"]
            for key, n in launch["statistics"].items() if key.startswith("class_") and n > 0}


def classified(weir, args, machine, folder):
    """One file with the tags of all workloads."""
    path = folder / "tags.yaml"
    if not path.exists():
        kernels = []
        for workload in workloads_of(weir, args):
            text = out_of([weir, "classify", workload, "-g", machine, "-i", args.input, "-q", "--tags", "-"])
            kernels.append(text.split("kernels:\n")[1])
        path.write_text("weir-tags: 1\nabout: all workloads\nkernels:\n" + "".join(kernels))
    return path


def names(weir):
    """The small workloads."""
    return re.findall(r"^([a-z][\w-]*) +kernels +eval", out_of([weir, "list", "workloads"]), re.M)


def workloads_of(weir, args):
    return names(weir) if args.workloads in ("all", "kernels") else args.workloads.split(",")


def variants(weir, machine, classes):
    """[(key, value, other value)]; the machine itself is (None, None, None)."""
    all_of = [(None, None, None)]
    for key, value, source in rows(weir, machine):
        of_class = re.fullmatch(r"sm\.([a-z0-9]+)_(latency|interval)", key)
        if of_class and of_class[1] in CLASSES and of_class[1] not in classes:
            continue
        if source == "guess":
            all_of += [(key, value, other) for other in others(weir, machine, key, value)]
    return all_of


def name_of(variant):
    key, _, other = variant
    return f"{key}={other}" if key else "as it is"


def file_of(scratch, machine, variant):
    key, _, other = variant
    path = pathlib.Path(scratch) / f"{machine}{f'-{key}-{other}' if key else ''}.yaml"
    path.write_text(f"weir: 1\nextends: {machine}\nmachine: {{{f'{key}: {other}' if key else ''}}}\n")
    return path


def run(weir, args, scratch, tags, paths, workloads, given, more=()):
    """What 'weir compare' writes as JSON of these machines, workloads and their input."""
    result = pathlib.Path(scratch) / "compare.json"
    command = [weir, "compare", *workloads.split(","), "-g", ",".join(map(str, paths)), "-i", given,
               "-S", args.schemes, "--tags", tags, "--no-provenance", "-q", "--json", result, *more]
    code = subprocess.run(command, stdout=subprocess.DEVNULL).returncode
    if code not in (0, 1):  # 1: some run failed, which its row says
        sys.exit(f"sensitivity: weir compare ended with {code}")
    return json.loads(result.read_text())


def compare(weir, args, scratch, tags, paths, workloads, more=()):
    """Geometric means of the schemes, by the file of the machine. A pair without one is left out."""
    means = {}
    for row in run(weir, args, scratch, tags, paths, workloads, args.input, more)["means"]:
        if row.get("speedup") is not None:
            means.setdefault(row["gpu"], {})[row["scheme"]] = [row["speedup"], row["workloads"]]
    return means


def each(weir, args, scratch, tags, paths, workloads, given):
    """{file of the machine: {scheme: {workload: speed-up}}}"""
    found = {}
    for row in run(weir, args, scratch, tags, paths, workloads, given)["runs"]:
        if row.get("speedup") is not None:
            found.setdefault(row["gpu"], {}).setdefault(row["scheme"], {})[row["workload"]] = row["speedup"]
    return found


def means_of(speedups):
    """{scheme: [geometric mean, workloads]} of {scheme: {workload: speed-up}}"""
    return {scheme: [math.exp(sum(map(math.log, of.values())) / len(of)), len(of)] for scheme, of in speedups.items()}


class Incomplete(Exception):
    """Something is missing, and nothing is to be run."""


def save(kept, done):
    fresh = kept.with_suffix(".new")
    fresh.write_text(json.dumps(done, indent=1, sort_keys=True) + "\n")
    fresh.replace(kept)


def load(kept):
    return json.loads(kept.read_text()) if kept.exists() else {}


def fill(args, machine, kept, todo, say, make):
    """{name of a variant: what make has made of it} of all that is to do; what is kept is not made again.

    make: of ([variant], their files, a folder for what is not kept) a list of results."""
    done = load(kept)
    missing = [v for v in todo if name_of(v) not in done]
    if missing and args.kept:
        raise Incomplete(f"{len(todo) - len(missing)} of {len(todo)} variants")
    for at in range(0, len(missing), BATCH):
        say(f"{machine}, {kept.stem}: {len(todo) - len(missing) + at} of {len(todo)}")
        batch = missing[at:at + BATCH]
        with tempfile.TemporaryDirectory() as scratch:
            made = make(batch, [file_of(scratch, machine, v) for v in batch], scratch)
        done.update(zip(map(name_of, batch), made))
        save(kept, done)
    say(f"{machine}, {kept.stem}: {len(todo)} of {len(todo)}")
    return done


def moves(base, of):
    """The largest change of a scheme's mean."""
    return max((abs(of[scheme][0] / mean - 1) for scheme, (mean, n) in base.items() if scheme in of and of[scheme][1] == n),
               default=0)


def chance(weir, args, machine, tags, kept, say):
    """What seeds of delays move a mean by on the screen's workloads: 95 % of their pairs lie within it."""
    done = load(kept)
    for seed in map(str, range(1, args.seeds + 1)):
        if seed in done:
            continue
        if args.kept:
            raise Incomplete("seeds are missing")
        say(f"{machine}, {kept.stem}: {seed} of {args.seeds}")
        delays = [f"jitter.dispatch={JITTER}", f"jitter.memory={JITTER}", f"jitter.seed={seed}"]
        with tempfile.TemporaryDirectory() as scratch:
            path = file_of(scratch, machine, (None, None, None))
            done[seed] = compare(weir, args, scratch, tags, [path], args.screen,
                                 [word for d in delays for word in ("--set", d)])[str(path)]
        save(kept, done)
    pairs = sorted(moves(done[a], done[b]) for a in done for b in done if a < b)
    return pairs[int(0.95 * (len(pairs) - 1))] if pairs else 0


class Bench:
    """One machine: what is run of it, and where that is kept."""

    def __init__(self, weir, args, machine, folder, say):
        self.weir, self.args, self.machine, self.say = weir, args, machine, say
        self.means, self.rough = folder / "means.json", folder / "rough.json"
        self.screened = folder / f"screen-{screen_mark(args)}.json"
        self.tags = classified(weir, args, machine, folder)

    def fill(self, kept, todo, make):
        return fill(self.args, self.machine, kept, todo, self.say, make)

    def screen(self, todo):
        def make(_, paths, scratch):
            means = compare(self.weir, self.args, scratch, self.tags, paths, self.args.screen)
            return [means.get(str(p), {}) for p in paths]
        return self.fill(self.screened, todo, make)

    def roughly(self, todo):
        """{name: {scheme: {workload: speed-up}}}, heavy workloads as NAME:test."""
        heavy = self.args.heavy.split(",")
        light = [w for w in workloads_of(self.weir, self.args) if w not in heavy]

        def make(_, paths, scratch):
            made = each(self.weir, self.args, scratch, self.tags, paths, ",".join(light), self.args.input)
            small = each(self.weir, self.args, scratch, self.tags, paths, self.args.heavy, "test")
            for path, of in small.items():
                for scheme, speedups in of.items():
                    made[path].setdefault(scheme, {}).update({f"{w}:test": x for w, x in speedups.items()})
            return [made.get(str(p), {}) for p in paths]
        return self.fill(self.rough, todo, make)

    def whole(self, todo):
        rough = load(self.rough)

        def make(batch, paths, scratch):
            if any(name_of(v) not in rough for v in batch):
                means = compare(self.weir, self.args, scratch, self.tags, paths, self.args.workloads)
                return [means.get(str(p), {}) for p in paths]
            made = each(self.weir, self.args, scratch, self.tags, paths, self.args.heavy, self.args.input)
            for variant, path in zip(batch, paths):
                for scheme, of in rough[name_of(variant)].items():
                    light = {w: x for w, x in of.items() if ":" not in w}
                    made.setdefault(str(path), {}).setdefault(scheme, {}).update(light)
            return [means_of(made.get(str(p), {})) for p in paths]
        return self.fill(self.means, todo, make)


def spread(these, n):
    """n of them, evenly."""
    step = max(1, len(these) // n) if n > 0 else 1
    return these[step // 2::step][:max(n, 0)]


def measure(weir, args, machine, say):
    """([(variant, means)], the machine itself first; {variant that was kept out: (its largest change, of what)}; probes:
    what was run though it was kept out; what chance does)."""
    folder = args.work / f"{machine}-{state(weir, machine)}-{args.version}"
    if not args.kept:
        folder.mkdir(parents=True, exist_ok=True)
    if args.kept and not (folder / "tags.yaml").exists():
        raise Incomplete("nothing was run")
    bench, todo = Bench(weir, args, machine, folder, say), variants(weir, machine, args.classes)
    own, guesses, out, by_chance = todo[0], todo[1:], {}, 0
    if args.screen:
        screen = bench.screen(todo)
        by_chance = chance(weir, args, machine, bench.tags, folder / f"seeds-{screen_mark(args)}.json", say)
        out = {v: (c, "screen") for v in guesses if (c := moves(screen[name_of(own)], screen[name_of(v)])) < LIMIT / 4}
    known = load(bench.means)
    open_ones = [v for v in guesses if v not in out and name_of(v) not in known]
    if args.screen and args.heavy and (open_ones or bench.rough.exists()):
        some = [v for v in guesses if v in open_ones or name_of(v) in load(bench.rough)]
        rough = {k: means_of(of) for k, of in bench.roughly([own] + some).items()}
        out |= {v: (c, "rough") for v in some if (c := moves(rough[name_of(own)], rough[name_of(v)])) < LIMIT / 2}
    unknown = [v for v in guesses if v in out and name_of(v) not in known]
    probes = [v for v in out if name_of(v) in known]
    probes += spread(unknown, args.probe - len(probes))
    found = [own] + [v for v in guesses if v not in out]
    done = bench.whole(found + probes)
    kept_out = {v: why for v, why in out.items() if v not in probes}
    return [(v, done[name_of(v)]) for v in found + probes], kept_out, probes, by_chance


def screen_mark(args):
    return hashlib.sha256(args.screen.encode()).hexdigest()[:6]


def changes(means):
    """{(key, value): {other: {scheme: (change, mean)}}} of the guesses, in the order of the machine."""
    base = means[0][1]
    found = {}
    for (key, value, other), of in means[1:]:
        moved = {}
        for scheme, (mean, n) in base.items():
            if scheme in of and of[scheme][1] == n:
                moved[scheme] = (of[scheme][0] / mean - 1, of[scheme][0])
        found.setdefault((key, value), {})[other] = moved
    return found


def largest(moved):
    return max((abs(change) for change, _ in moved.values()), default=0)


def table(means):
    base = means[0][1]
    found = changes(means)
    deciding = [(k, v, o, m) for (k, v), of in found.items() for o, m in of.items()
                if max(map(largest, of.values()), default=0) > LIMIT]
    lines = ["| guess | is | with | what moves by more than 2 % (mean: was, is) |", "| --- | --- | --- | --- |"]
    for key, value, other, moved in deciding:
        text = ", ".join(f"{scheme} {change:+.1%} ({base[scheme][0]:.3f}, {mean:.3f})"
                         for scheme, (change, mean) in sorted(moved.items(), key=lambda x: (-abs(x[1][0]), x[0]))
                         if abs(change) > LIMIT)
        lines.append(f"| `{key}` | {value} | {other} | {text or '-'} |")
    quiet = [(k, max(map(largest, of.values()), default=0)) for (k, _), of in found.items()
             if of and max(map(largest, of.values()), default=0) <= LIMIT]
    stuck = ", ".join(f"`{k}`" for (k, _), of in found.items() if not of)
    return (lines if deciding else ["No guess moves a mean by more than 2 %."]), quiet, stuck


def wrap(text):
    return textwrap.wrap(text, 120, break_long_words=False, break_on_hyphens=False)


def page(weir, args, say):
    what = "the sixteen small workloads" if args.workloads in ("all", "kernels") else args.workloads.replace(",", ", ")
    lines = ["# Guesses that decide", "", *wrap(
        "Written by `make sensitivity`. Each value of the papers' machines whose source is a guess (`weir help gpu NAME`) "
        "was halved and doubled, or took the next legal value or each of its other choices, on the "
        f"`{args.input}` inputs of {what}. Below stand those that move the geometric mean of a scheme's speed-up over "
        "the baseline by more than 2 % (the papers' designs and the controls): a verdict that depends on one of them is not one about the paper's machine."), ""]
    for machine in args.machines.split(","):
        try:
            means, kept_out, probes, by_chance = measure(weir, args, machine, say)
        except Incomplete as why:
            lines += [f"## {machine}", "", f"Not complete yet: {why}.", ""]
            continue
        rows_of, quiet, stuck = table(means)
        lines += [f"## {machine}", "", f"<!-- {machine} {state(weir, machine)} -->", "", *rows_of, ""]
        if quiet:
            lines += [*wrap("Less than that, with the largest change: " +
                            ", ".join(f"`{k}` {c:.1%}" for k, c in quiet) + "."), ""]
        for kind, why in (("screen", f"on {args.screen.replace(',', ', ')} they move no mean by {LIMIT / 4:.1%}"),
                          ("rough", f"on all workloads, but {args.heavy.replace(',', ' and ')} with their inputs test, "
                                    f"they move no mean by {LIMIT / 2:.1%}")):
            by_key = {}
            for (key, _, _), (change, of) in kept_out.items():
                if of == kind:
                    by_key[key] = max(change, by_key.get(key, 0))
            if by_key:
                lines += [*wrap(f"Not run on all workloads, since {why}; with the largest change there: " +
                                ", ".join(f"`{k}` {c:.1%}" for k, c in by_key.items()) + "."), ""]
        if probes:
            of = dict(means)
            worst = max(probes, key=lambda v: moves(means[0][1], of[v]))
            lines += [*wrap(f"To see what that leaves out, {len(probes)} that would have been kept out were run on all "
                            f"workloads nevertheless: {sum(moves(means[0][1], of[v]) > LIMIT for v in probes)} of them "
                            f"decide; the largest change is {moves(means[0][1], of[worst]):.1%} "
                            f"(`{worst[0]}={worst[2]}`)."), ""]
        if by_chance:
            lines += [*wrap(f"What chance does, for comparison: with {args.seeds} seeds of delays (0 to {JITTER} cycles for each "
                            f"block and each DRAM read) on {args.screen.replace(',', ', ')}, two seeds lie up to "
                            f"{by_chance:.1%} apart in the scheme that differs most (95 % of the pairs)."), ""]
        if stuck:
            lines += [*wrap(f"No other value is legal: {stuck}."), ""]
    return "\n".join(lines).rstrip() + "\n"


def check(weir, path):
    """Says what is stale; it takes hours to make the page, so that this is no error."""
    text = path.read_text() if path.exists() else ""
    stale = [m for m in MACHINES.split(",") if f"<!-- {m} {state(weir, m)} -->" not in text]
    if stale:
        print(f"warning: {path} was made with other values of {', '.join(stale)}: make sensitivity")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--weir", default=ROOT / "build/weir")
    p.add_argument("--machines", default=MACHINES)
    p.add_argument("--workloads", default="kernels")
    p.add_argument("--screen", default=SCREEN, metavar="A,B", help="workloads of the first look; '' for none")
    p.add_argument("--heavy", default=HEAVY, metavar="A,B", help="workloads of which the second look has inputs 'test'")
    p.add_argument("--probe", default=PROBE, type=int, metavar="N", help="of each machine, N that it keeps out are run")
    p.add_argument("--seeds", default=SEEDS, type=int, metavar="N", help="of delays, for what chance does")
    p.add_argument("--schemes", default=SCHEMES)
    p.add_argument("--input", default="profile")
    p.add_argument("--work", type=pathlib.Path, default=ROOT / "docs/results/sensitivity")
    p.add_argument("--output", type=pathlib.Path, default=ROOT / "docs/reference/sensitivity.md")
    p.add_argument("--kept", action="store_true", help="run nothing")
    p.add_argument("--check", type=pathlib.Path, metavar="FILE")
    args = p.parse_args()
    if args.check:
        check(args.weir, args.check)
        return
    model = re.search(r"WEIR_MODEL = (\d+)", (ROOT / "src/sim/model.h").read_text())[1]
    what = f"{model} {args.workloads} {args.schemes} {args.input}"
    args.version = hashlib.sha256(what.encode()).hexdigest()[:8]
    args.classes = executed(args.weir, args)
    text = page(args.weir, args, lambda line: print(line, file=sys.stderr, flush=True))
    args.output.write_text(text)


if __name__ == "__main__":
    main()
