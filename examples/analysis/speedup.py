#!/usr/bin/env python3
"""Speed-ups over a baseline from a store of results, with geometric means; needs nothing but Python.

    speedup.py STORE [--baseline SCHEME] [--setting KEY]... [--value STATISTIC] [--csv]

A run is compared with the one of the baseline that has the same workload, input, machine, seed and the same values of the
settings that are named. Over seeds the geometric mean is taken, and over the workloads that all columns have.
"""
import argparse
import collections
import csv
import math
import sqlite3
import sys


def runs(store, value, settings):
    """(gpu, workload, input, seed, scheme, settings, value) of each run; value None: it failed, or was refused."""
    columns = "".join(", (SELECT value FROM settings WHERE run = r.id AND key = ?)" for _ in settings)
    query = (f"SELECT r.gpu, r.workload, r.input, r.seed, r.scheme, s.value {columns} FROM runs AS r "
             "LEFT JOIN statistics AS s ON s.run = r.id AND s.kernel = 0 "
             "AND s.name_id = (SELECT id FROM names WHERE name = ?) ORDER BY r.id")
    for gpu, workload, given, seed, scheme, number, *values in store.execute(query, (*settings, value)):
        yield gpu, workload, given, seed, scheme, tuple(values), number


def geometric_mean(values):
    return math.exp(math.fsum(map(math.log, values)) / len(values))


def size(text):
    """So that 16K comes before 128K, and numbers before names."""
    scale = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}.get((text or "-")[-1], 1)
    try:
        return 0, float(text[:-1] if scale > 1 else text) * scale, ""
    except (TypeError, ValueError):
        return 1, 0, text or ""


def speedups(store, value, settings, baseline):
    """{gpu: {(workload, input): {column: speed-up, or None if a run did not end}}}; a column is (scheme, settings)."""
    found = {}
    for *what, number in runs(store, value, settings):
        if tuple(what) in found:
            sys.exit(f"two runs are the same in all that is looked at: {what}; name what was swept: --setting KEY")
        found[tuple(what)] = number
    ratios = collections.defaultdict(list)
    for (gpu, workload, given, seed, scheme, values), number in found.items():
        other = found.get((gpu, workload, given, seed, baseline, values))
        ratios[gpu, (workload, given), (scheme, values)].append(other / number if number and other else None)
    tables = collections.defaultdict(lambda: collections.defaultdict(dict))
    for (gpu, row, column), some in ratios.items():
        tables[gpu][row][column] = None if None in some else geometric_mean(some)
    return tables


def means(table, columns):
    """Over the rows that all columns have; a column without any value does not count."""
    with_any = [c for c in columns if any(row.get(c) is not None for row in table.values())]
    full = [row for row in table.values() if all(row.get(c) is not None for c in with_any)]
    return {c: geometric_mean([row[c] for row in full]) for c in with_any if full}, len(full)


def label(row, table):
    """The workload, with its input if it has several."""
    several = sum(other[0] == row[0] for other in table) > 1
    return f"{row[0]} {row[1]}" if several else row[0]


def name(column, settings):
    return " ".join([column[0] or "-"] + [f"{key}={value}" for key, value in zip(settings, column[1])])


def print_text(gpu, rows, columns, settings, n_full, n_rows):
    heads = [name(column, settings) for column in columns]
    print(f"{gpu}: speed-up; geometric mean over {n_full} of {n_rows} workloads")
    print("  ".join(["workload".ljust(14)] + [head.rjust(8) for head in heads]))
    for head, row in rows:
        cells = ["-" if row.get(c) is None else f"{row[c]:.3f}" for c in columns]
        print("  ".join([head.ljust(14)] + [cell.rjust(max(8, len(over))) for cell, over in zip(cells, heads)]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("store")
    parser.add_argument("--baseline", default="baseline", metavar="SCHEME")
    parser.add_argument("--setting", action="append", default=[], metavar="KEY", help="a setting that was swept")
    parser.add_argument("--value", default="cycles", metavar="STATISTIC", help="one of which less is better")
    parser.add_argument("--csv", action="store_true")
    args = parser.parse_args()
    store = sqlite3.connect(f"file:{args.store}?mode=ro", uri=True)
    tables = speedups(store, args.value, args.setting, args.baseline)
    if not any(any(v is not None for v in row.values()) for t in tables.values() for row in t.values()):
        sys.exit(f"{args.store}: no two runs with '{args.value}' to compare; is there a scheme '{args.baseline}'?")
    columns = sorted({c for t in tables.values() for row in t.values() for c in row},
                     key=lambda c: (c[0] != args.baseline, c[0] or "", [size(v) for v in c[1]]))
    writer = csv.writer(sys.stdout, lineterminator="\n")
    if args.csv:
        writer.writerow(["gpu", "workload"] + [name(c, args.setting) for c in columns])
    for gpu, table in sorted(tables.items(), key=lambda item: item[0] or ""):
        mean, n_full = means(table, columns)
        rows = sorted((label(row, table), cells) for row, cells in table.items()) + [("geometric mean", mean)]
        if args.csv:
            for head, row in rows:
                writer.writerow([gpu, head] + ["" if row.get(c) is None else f"{row[c]:.12g}" for c in columns])
        else:
            print_text(gpu, rows, columns, args.setting, n_full, len(table))


if __name__ == "__main__":
    main()
