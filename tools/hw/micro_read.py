#!/usr/bin/env python3
"""Prints what follows from the rows of tools/hw/micro.sh: sizes, ways, latencies, rates.

    tools/hw/micro_read.py MICRO.TSV [SECTION ...]     all sections, or those named (--list); also .zst or .gz
    tools/hw/micro_read.py --list
    tools/hw/micro_read.py --join LABELS CSV           for micro_ncu.sh: ncu's CSV as rows, with labels

The machine code beside the table (MICRO.SASS.TXT, .zst or .gz) says which rows count what the loops do not have
(micro_sass.py): they are left out, or corrected where it says by how much.
"""
import collections
import csv
import itertools
import os
import re
import statistics
import sys

import micro_sass

Row = collections.namedtuple("Row", "params metric value")


def read(path):
    """{benchmark: [Row]}; values are numbers, lists of numbers or text."""
    out = collections.defaultdict(list)
    for line in micro_sass.read_text(path).splitlines():
        cells = line.split("\t")
        if line.startswith("#") or len(cells) != 4 or cells[0] == "benchmark":
            continue
        params = {k: number(v) for k, _, v in (p.partition("=") for p in cells[1].split())}
        try:
            value = [float(x) for x in cells[3].split(" ")]
            value = value[0] if len(value) == 1 and not cells[2].endswith(("list", "lines", "clock")) else value
        except ValueError:
            value = cells[3]
        out[cells[0]].append(Row(params, cells[2], value))
    return out


def code_of(path):
    """The machine code beside a table, or None."""
    stem = re.sub(r"\.tsv(\.zst|\.gz)?$", ".sass.txt", path)
    return next((stem + end for end in ("", ".zst", ".gz") if stem != path and os.path.exists(stem + end)), None)


def mend(table, findings):
    """Leaves out the rows that the machine code contradicts, or corrects them; returns what to say of that."""
    said = []
    for f in findings:
        kept, touched = [], 0
        for r in table.get(f.benchmark, []):
            if r.metric in ("sm_mhz", "took_s", "FAILED", "SKIPPED") or not pick([r], **f.params):
                kept.append(r)
            elif not f.factor:
                touched += 1
            elif r.metric.startswith("cyc_per_load."):
                kept.append(r._replace(value=r.value * f.factor))
                touched += 1
            else:
                kept.append(r)
        if touched:
            table[f.benchmark] = kept
            done = f"{touched} rows times {f.factor:g}" if f.factor else f"{touched} rows left out"
            said.append(f"{done}: {micro_sass.say(f)}")
    return said


def number(text):
    try:
        return int(text)
    except ValueError:
        return text


def pick(rows, metric=None, **params):
    return [r for r in rows if metric in (None, r.metric) and all(r.params.get(k) == v for k, v in params.items())]


def values(rows, key, metric, **params):
    """{value of the parameter: value of the metric}"""
    return {r.params[key]: r.value for r in pick(rows, metric, **params) if key in r.params}


def groups(rows, *keys):
    """(values of the keys, rows) in the order in which they come."""
    out = {}
    for r in rows:
        if all(k in r.params for k in keys):
            out.setdefault(tuple(r.params[k] for k in keys), []).append(r)
    return out.items()


def table(head, lines):
    lines = [[f"{c:.4g}" if isinstance(c, float) else str(c) for c in line] for line in lines]
    if not lines:
        print("(nothing)")
        return
    widths = [max(map(len, column)) for column in itertools.zip_longest(head, *lines, fillvalue="")]
    for line in [head, ["-" * w for w in widths], *lines]:
        print("  ".join(c.ljust(w) for c, w in zip(line, widths)).rstrip())


def size(n):
    n = int(n)
    for unit, name in ((1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "KB")):
        if n >= unit and n % unit == 0:
            return f"{n // unit} {name}"
    return f"{n / 1024:.4g} KB" if n >= 1024 else f"{n} B"


def clocks(t):
    for r in pick(t["nvidia_smi"]):
        print("nvidia-smi:", " ".join(f"{k}={v}" for k, v in r.params.items()), r.metric, r.value)
    mhz = [r.value for rows in t.values() for r in rows if r.metric == "sm_mhz"]
    if mhz:
        middle = statistics.median(mhz)
        print(f"SM clock around the benchmarks: {min(mhz):.0f} to {max(mhz):.0f} MHz, median {middle:.0f}")
    for r in t["clocks"]:
        if "when" not in r.params:
            print(" ".join(f"{k}={v}" for k, v in r.params.items()), r.metric, f"{r.value:.8g}")


def l1_size(t):
    lines = []
    for (carve, kb, order), rows in groups(t["l1_size"], "carve", "shared_kb", "order"):
        misses = values(rows, "bytes", "misses.med")
        bad = [b for b in sorted(misses) if misses[b]]
        good = [b for b in sorted(misses) if not misses[b] and (not bad or b < bad[0])]
        thrash = [b for b in sorted(misses) if misses[b] > 0.9 * b / 128]
        hits = values(rows, "bytes", "hit_cyc.min")
        lines.append([carve, kb, order, size(good[-1]) if good else "-", size(bad[0]) if bad else "-",
                      int(misses[bad[0]]) if bad else "-", size(thrash[0]) if thrash else "-",
                      min(hits.values()), hits[good[-1]] if good and good[-1] in hits else "-"])
    table(["carve", "shared KB", "order", "no misses", "misses at", "lines", "90 % miss", "hit cyc", "at the end"],
          lines)


def l1_block(t):
    """KB of L1 that are left, for shared memory of a block across and its threads down."""
    lines, across = [], sorted({int(r.params["shared"]) for r in pick(t["l1_block"], "lines_fit")})
    for (percent, threads), rows in groups(t["l1_block"], "prefer", "threads"):
        fit, blocks = values(rows, "shared", "lines_fit"), values(rows, "shared", "blocks_fit")
        lines.append([percent, threads, *(f"{fit[n] / 8:.4g} ({int(blocks[n])})" if n in fit else "-" for n in across)])
    table(["prefer %", "threads", *(f"shared {n}: KB (blocks)" if n == across[0] else str(n) for n in across)], lines)


def l1_ways(t):
    fit, begin = values(t["l1_ways"], "stride", "lines_fit"), values(t["l1_ways"], "stride", "lines_misses_begin")
    table(["stride", "lines that fit", "misses begin at"], [[s, int(fit[s]), int(begin.get(s, 0))] for s in fit])


def l1_random(t):
    lines = []
    for (k,), rows in groups(t["l1_random"], "same_low_bits"):
        m = values(rows, "lines", "misses.med")
        bad = [n for n in m if m[n]]
        lines.append([k, bad[0] if bad else "-", *(m.get(n, "-") for n in (512, 1024, 1536, 2048))])
    table(["same low bits", "misses at lines", "misses of 512", "1024", "1536", "2048"], lines)


def l1_pattern(t):
    lines = []
    for r in pick(t["l1_pattern"], "missing_lines"):
        steps = collections.Counter(int(b - a) for a, b in zip(r.value, r.value[1:]))
        lines.append([r.params["stride"], r.params["fit"], r.params["lines"], len(r.value),
                      " ".join(f"{int(x)}" for x in r.value[:8]),
                      " ".join(f"{d}:{n}" for d, n in steps.most_common(6))])
    table(["stride", "fit", "lines", "missing", "first of them", "distance:times"], lines)


def l1_rate(t):
    lines = []
    rest = lambda r: " ".join(f"{k}={v}" for k, v in r.params.items() if k not in ("kind", "width", "warps"))
    found = collections.OrderedDict()
    for r in pick(t["l1_rate"], "cyc_per_load.min"):
        found.setdefault((r.params["kind"], rest(r)), {})[r.params["width"], r.params["warps"]] = r.value
    for (kind, what), v in found.items():
        lines.append([kind, what, *(v.get(k, "") for k in itertools.product((4, 8, 16), (1, 8, 32)))])
    table(["kind", "pattern", "4 B: 1 warp", "8", "32", "8 B: 1", "8", "32", "16 B: 1", "8", "32"], lines)


def tex(t):
    found, lines = collections.OrderedDict(), []
    for name, metric in (("tex_rate", "cyc_per_read.min"), ("tex_latency", "cyc.min")):
        for r in pick(t[name], metric):
            what = " ".join(f"{k}={v}" for k, v in r.params.items() if k != "warps")
            found.setdefault(what, {})[r.params.get("warps", "latency")] = r.value
    for what, v in found.items():
        lines.append([what, *(v.get(k, "") for k in (1, 8, 32, "latency"))])
    table(["texels", "cycles a read: 1 warp", "8", "32", "a read and an addition"], lines)


def sectors(t):
    lines = []
    for name in [n for n in t if n.startswith("sectors_")]:
        for (level, gran, touched), rows in groups(t[name], "level", "granularity", "touched"):
            v = values(rows, "timed", "share_near.med")
            cyc = values(rows, "timed", "load_cyc.med")
            near = " ".join(f"{s}{'' if v[s] > 0.95 else f'({v[s]:.2f})'}" for s in v if v[s] > 0.05)
            far = [c for s, c in cyc.items() if v[s] <= 0.05]
            lines.append([name, level, gran, touched, near, cyc.get(touched, ""),
                          statistics.median(far) if far else ""])
    table(["benchmark", "level", "granularity", "touched", "sectors that hit then (share)", "hit cyc", "else"], lines)


def slices(t):
    by_sm = collections.defaultdict(dict)
    for r in pick(t["slices"], "load_cyc.min"):
        for i, x in enumerate(r.value):
            by_sm[r.params["sm"]][r.params["first_line"] + i] = x
    if not by_sm:
        return
    every = [x for row in by_sm.values() for x in row.values()]
    print(f"{len(by_sm)} SMs, {len(every)} latencies: {min(every):.0f} to {max(every):.0f}, "
          f"median {statistics.median(every):.0f}")
    tens = collections.Counter(x // 10 * 10 for x in every)
    print("histogram:", " ".join(f"{int(k)}:{n}" for k, n in sorted(tens.items())))
    lines = sorted(next(iter(by_sm.values())))
    vectors = {n: [by_sm[s][n] for s in sorted(by_sm)] for n in lines}
    for limit in (2, 4, 6, 8, 12):
        heads = []
        for n in lines:  # a line belongs to the first slice whose latencies are as near as this, from all SMs
            if not any(statistics.fmean(abs(a - b) for a, b in zip(vectors[n], vectors[h])) < limit for h in heads):
                heads.append(n)
        print(f"{len(heads)} groups of lines whose latencies differ by less than {limit} cycles on average")
    mean = {n: statistics.fmean(v) for n, v in vectors.items()}
    print("mean over SMs by line:", " ".join(f"{mean[n]:.0f}" for n in lines[:64]), "...")
    print("SM: mean over lines:", " ".join(f"{s}:{statistics.fmean(by_sm[s].values()):.0f}" for s in sorted(by_sm)))


def slice_pairs(t):
    v = values(t["slice_pairs"], "offset", "loads_per_cyc.med")
    if not v:
        return
    same = v[0]
    near = [o for o in v if v[o] < 1.35 * same]
    print(f"one place: {same:.3g} loads per cycle; two: median {statistics.median(v.values()):.3g}, "
          f"most {max(v.values()):.3g}")
    print("offsets in the slice of the first:", " ".join(map(str, near)))


def l2_sms(t):
    lines = []
    for (size_of, how), rows in groups(t["l2_sms"], "bytes", "pick"):
        for data in dict.fromkeys(r.params.get("data") for r in rows):
            v = values([r for r in rows if r.params.get("data") == data], "sms", "bytes_per_cyc.max")
            lines.append([size(size_of), how, data or "zero",
                          *(v.get(n, "") for n in (1, 2, 4, 8, 16, 32, 64, 100, 132))])
    table(["footprint", "SMs", "data", "1", "2", "4", "8", "16", "32", "64", "100", "132: bytes/cyc"], lines)


def l2_size(t):
    lines = []
    rows = t["l2_size"]
    allsm, one = (values(rows, "bytes", "bytes_per_cyc.med", reader=r) for r in ("all", "one"))
    latency = [values(rows, "bytes", f"load_cyc.{q}", warmed=w) for w in ("one", "all") for q in ("p10", "mean", "p90")]
    for b in allsm:
        lines.append([size(b), allsm[b], one.get(b, ""), *(v.get(b, "") for v in latency)])
    table(["footprint", "all SMs B/cyc", "one SM", "latency p10", "mean", "p90", "warmed by all: p10", "mean", "p90"],
          lines)


def merge(t):
    lines = []
    for (kinds, pair, second), rows in groups(t["merge"], "kinds", "pair", "second"):
        cells = []
        for delay in (0, 50, 100, 200, 300, 400):
            v = {m: values(rows, "delay", m + ".med").get(delay) for m in ("issued_later_cyc", "second_cyc", "lag_cyc")}
            cells.append("/".join(f"{x:.0f}" for x in v.values() if x is not None))
        lines.append([kinds, pair, second, *cells])
    print("the second load: issued later / its latency / there later than the first")
    table(["kinds", "pair", "second", "delay 0", "50", "100", "200", "300", "400"], lines)
    table(["SMs", "same lines B/cyc", "parts"],
          [[n, v, values(t["merge_sms"], "sms", "bytes_per_cyc.max", reads="parts").get(n, "")]
           for n, v in values(t["merge_sms"], "sms", "bytes_per_cyc.max", reads="same").items()])


def inflight(t):
    lines = []
    for (kind, level, shape), rows in groups(pick(t["inflight"], "cyc_per_batch.min"), "kind", "level", "shape"):
        v = {(r.params["warps"], r.params["ahead"]): r.value for r in rows}
        latency = v.get((1, 1), 0)
        rate = {k: k[0] * k[1] / x for k, x in v.items()}
        best, warp = max(rate, key=rate.get), max((k for k in rate if k[0] == 1), key=rate.get)
        lines.append([kind, level, shape, latency, rate[warp], f"{warp[1]}", rate[warp] * latency, rate[best],
                      f"{best[0]}x{best[1]}", rate[best] * latency,
                      " ".join(f"{a}:{v[32, a]:.0f}" for a in (1, 2, 4, 8, 16, 32) if (32, a) in v)])
    table(["kind", "level", "shape", "latency", "1 warp loads/cyc", "ahead", "in flight", "SM loads/cyc", "at",
           "in flight", "32 warps, ahead:cyc"], lines)


def plain(*names, metrics, sms=None):
    def show(t):
        for name in names:
            found = [r for r in t[name] if r.metric in metrics and (sms is None or r.params.get("sms") in sms)]
            keys = list(dict.fromkeys(k for r in found for k in r.params))
            lines = {}
            for r in found:
                lines.setdefault(tuple(r.params.get(k, "") for k in keys), {})[r.metric] = r.value
            print(name)
            table([*keys, *metrics], [[*k, *(v.get(m, "") for m in metrics)] for k, v in lines.items()])
    return show


def arith(t):
    latency, lines = values(t["arith_latency"], "op", "cyc.min"), []
    for op, cyc in latency.items():
        v = values(t["arith_rate"], "warps", "per_cyc.max", op=op)
        top = max(v.values()) if v else 0
        lines.append([op, cyc, *(v.get(w, "") for w in (1, 4, 8, 16, 32)), top, 4 / top if top else ""])
    table(["operation", "latency", "per cyc: 1 warp", "4", "8", "16", "32", "most", "interval of a scheduler"], lines)


def scheduler(t):
    lines = []
    for (mode, warps, run), rows in groups(pick(t["scheduler"], "issue_clock"), "mode", "warps", "run"):
        events = sorted((c, r.params["warp"]) for r in rows for c in r.value)
        order = [w for _, w in events]
        runs = [len(list(g)) for _, g in itertools.groupby(order)]
        last = sorted((r.value[-1], r.params["warp"]) for r in rows)
        lines.append([mode, warps, run, statistics.fmean(runs), max(runs), " ".join(f"{w}@{c:.0f}" for c, w in last),
                      "".join(map(str, order[:40]))])
    table(["mode", "warps", "run", "mean run", "longest", "ends: warp@clock", "order of the first readings"], lines)


def tlb(t):
    for (stride,), rows in groups(t["tlb"], "stride"):
        v = values(rows, "n", "cyc_per_step.min")
        steps, last = [], None
        for n in v:
            if last is not None and v[n] > 1.04 * v[last]:
                steps.append(f"{size(n * stride)} (n={n}): {v[n]:.0f}")
            last = n
        first = next(iter(v))
        print(f"stride {size(stride)}: n={first}: {v[first]:.0f} cycles; rises at {', '.join(steps) or 'nothing'}; "
              f"last n={last} ({size(last * stride)}): {v[last]:.0f}")


def dram(t):
    lines, parts = [], ("min", "p10", "med", "mean", "p90", "p99", "max")
    for (order, stride, pages), rows in groups(t["dram"], "order", "stride", "pages"):
        v = {r.metric: r.value for r in rows}
        lines.append([order, size(stride), pages, *(v.get(f"load_cyc.{q}", "") for q in parts)])
    table(["order", "stride", "pages", *parts], lines)


def chase(t):
    found, columns = {}, {}
    for r in pick(t["chase"] + t["chase_large"], "cyc_per_step.min"):
        p = r.params
        column = f"{p['mode']} {p['kind']} {p['carve']}" + (" 1st" if p["walk"] == 1 else "")
        if p["walk"] == 1 and (p["mode"], p["carve"]) != ("pointer", "default"):
            continue
        columns[column] = 1
        found.setdefault((p["bytes"], p["steps"]), {})[column] = r.value
    table(["ring", "steps", *columns],
          [[size(b), n, *(v.get(c, "") for c in columns)] for (b, n), v in sorted(found.items())])


SECTIONS = {
    "clocks": clocks, "l1_size": l1_size, "l1_block": l1_block, "l1_ways": l1_ways, "l1_random": l1_random,
    "l1_pattern": l1_pattern,
    "l1_rate": l1_rate, "tex": tex, "sectors": sectors, "slices": slices, "slice_pairs": slice_pairs, "l2_sms": l2_sms,
    "l2_size": l2_size, "merge": merge, "inflight": inflight,
    "stores": plain("stores", metrics=["stores_per_cyc.max", "bytes_per_cyc.max"]),
    "atomics": plain("atomics", metrics=["lane_ops_per_cyc.max"]),
    "atom_latency": plain("atom_latency", metrics=["cyc_per_step.min"]),
    "arith": arith,
    "shared": plain("shared_latency", "shared_rate", "const_latency", metrics=["cyc_per_step.min", "cyc_per_load.min"]),
    "barrier": plain("barrier", "branch", metrics=["cyc.min", "cyc_per_round.min"]),
    "scheduler": scheduler,
    "launch": plain("launch", metrics=["timer_ns", "one_us.med", "in_a_row_us.med", "in_a_graph_us.med", "gap_ns.med",
                                       "begin_to_end_ns.med"]),
    "dispatch": plain("dispatch", metrics=["start_interval_cyc.med", "replace_cyc.med", "begin_spread_ns.med"]),
    "tlb": tlb, "dram": dram, "chase": chase,
}


def read_counters(text):
    """{ID of a launch: (kernel, {counter: value})} of ncu's long table (a line per counter) or wide one (a column)."""
    found = {}
    for r in csv.DictReader(line for line in text.splitlines() if line.startswith('"')):
        if not (r["ID"] or "").isdigit():  # units of the wide table
            continue
        _, values = found.setdefault(int(r["ID"]), ((r.get("Kernel Name") or "").split("(")[0], {}))
        counters = [(k, v) for k, v in r.items() if k and "__" in k]
        for name, value in [(r["Metric Name"], r["Metric Value"])] if "Metric Name" in r else counters:
            values[name] = (value or "").replace(",", "")
    return found


def join(labels_path, csv_path):
    """Rows of ncu's table with the labels of their launches, by the launches' ID."""
    with open(labels_path, encoding="utf-8") as file:
        labels = [line.rstrip("\n").split("\t") for line in file if line.startswith("count_")]
    with open(csv_path, encoding="utf-8") as file:
        found = read_counters(file.read())
    if not found:
        sys.exit("ncu wrote no table")
    if max(found) + 1 != len(labels):
        print(f"counters\t\tFAILED\t{max(found) + 1} launches were counted, {len(labels)} have a label")
    for launch, (_, values) in found.items():
        for name, value in values.items():
            if launch < len(labels):
                print("\t".join([*labels[launch], name, value]))


def main():
    args = sys.argv[1:]
    if args == ["--list"]:
        print("\n".join(SECTIONS))
    elif len(args) == 3 and args[0] == "--join":
        join(*args[1:])
    elif args and not args[0].startswith("-") and set(args[1:]) <= set(SECTIONS):
        rows = read(args[0])
        code = code_of(args[0])
        for line in mend(rows, micro_sass.check(micro_sass.read_text(code))) if code else ["no machine code beside it"]:
            print(line)
        for name, found in rows.items():
            for r in found:
                if r.metric in ("FAILED", "SKIPPED"):
                    print(f"{r.metric}: {name} {r.value}")
        for name in args[1:] or SECTIONS:
            print(f"\n== {name}")
            SECTIONS[name](rows)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
