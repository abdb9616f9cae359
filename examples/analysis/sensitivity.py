#!/usr/bin/env python3
"""One statistic against a setting that was swept, a line for each workload, scheme and machine; needs nothing but Python.

    sensitivity.py STORE KEY [--value STATISTIC] [--csv]

Shown are means over seeds, and nothing where a run did not end. 'change' is that of the largest value of the setting from the smallest, in percent. Two runs that
differ in another setting, too, would be averaged by mistake: they are refused.
"""
import argparse
import collections
import csv
import sqlite3
import sys


def size(text):
    """So that 16K comes before 128K, and numbers before names."""
    scale = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}.get(text[-1:], 1)
    try:
        return 0, float(text[:-1] if scale > 1 else text) * scale, ""
    except ValueError:
        return 1, 0, text


def load(store, key, statistic):
    """{(gpu, workload, input, scheme): {value of the setting: {seed: statistic, or None if the run did not end}}}"""
    query = ("SELECT r.gpu, r.workload, r.input, r.scheme, s.value, r.seed, v.value FROM runs AS r "
             "JOIN settings AS s ON s.run = r.id AND s.key = ? "
             "LEFT JOIN statistics AS v ON v.run = r.id AND v.kernel = 0 "
             "AND v.name_id = (SELECT id FROM names WHERE name = ?) ORDER BY r.id")
    lines = collections.defaultdict(lambda: collections.defaultdict(dict))
    for gpu, workload, given, scheme, at, seed, number in store.execute(query, (key, statistic)):
        cell = lines[gpu or "-", workload, given or "-", scheme or "-"][at]
        if seed in cell:
            sys.exit(f"{workload} with {scheme} on {gpu}: two runs have {key}={at} and seed {seed}; "
                     "another setting was swept, too")
        cell[seed] = number
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("store")
    parser.add_argument("key", help="the setting, such as l1.size")
    parser.add_argument("--value", default="cycles", metavar="STATISTIC")
    parser.add_argument("--csv", action="store_true")
    args = parser.parse_args()
    lines = load(sqlite3.connect(f"file:{args.store}?mode=ro", uri=True), args.key, args.value)
    if not any(None not in cell.values() for line in lines.values() for cell in line.values()):
        sys.exit(f"{args.store}: no run has the setting '{args.key}' and the statistic '{args.value}'")
    points = sorted({at for line in lines.values() for at in line}, key=size)
    rows = [["gpu", "workload", "input", "scheme"] + [f"{args.key}={at}" for at in points] + ["change"]]
    for what, line in sorted(lines.items()):
        mean = {at: sum(cell.values()) / len(cell) for at, cell in line.items() if None not in cell.values()}
        ends = mean.get(points[0]), mean.get(points[-1])
        change = "" if None in ends or ends[0] == 0 else f"{100 * (ends[1] / ends[0] - 1):+.1f}"
        rows.append([*what] + [f"{mean[at]:.12g}" if at in mean else "" for at in points] + [change])
    if args.csv:
        csv.writer(sys.stdout, lineterminator="\n").writerows(rows)
        return
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        print("  ".join(c.ljust(w) if i < 4 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths))).rstrip())


if __name__ == "__main__":
    main()
