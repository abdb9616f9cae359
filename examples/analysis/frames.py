#!/usr/bin/env python3
"""A store of results as data frames of pandas: a row for each run, with the settings that were swept as columns.

    frames.py STORE [--setting KEY]... [--baseline SCHEME]      prints speed-ups as CSV; exit code 77: pandas is not installed

As a module: frames.load("s.db", ["l1.size"]) gives the frame, frames.speedups(frame, ["l1.size"]) the speed-ups.
"""
import argparse
import sqlite3
import sys

try:
    import numpy
    import pandas
except ImportError:
    pandas = None

KEYS = ["gpu", "workload", "input", "seed"]


def load(path, settings=()):
    """All statistics of all runs; runs that did not end have none."""
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as store:
        frame = pandas.read_sql("SELECT * FROM run_results", store)
        swept = pandas.read_sql("SELECT run, key, value FROM settings", store)
    swept = swept[swept["key"].isin(list(settings))].pivot(index="run", columns="key", values="value")
    return frame.merge(swept, left_on="run", right_index=True, how="left")


def speedups(frame, settings=(), baseline="baseline", value="cycles"):
    """A series with an entry for each machine, workload, input, scheme and setting: over seeds the geometric mean, and none
    where a run did not end. speedups(...).unstack("scheme") is a table."""
    keys = KEYS + list(settings)
    if frame.duplicated(keys + ["scheme"]).any():
        sys.exit("two runs are the same in all that is looked at; name what was swept: --setting KEY")
    base = frame.loc[frame["scheme"] == baseline, keys + [value]]
    both = frame.merge(base, on=keys, how="left", suffixes=("", "_of_base"))
    both["log"] = numpy.log(both[value + "_of_base"].astype(float) / both[value].astype(float))
    cells = both.groupby(["gpu", "workload", "input", "scheme", *settings], dropna=False)["log"]
    return numpy.exp(cells.agg(lambda logs: logs.mean(skipna=False))).rename("speedup")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("store")
    parser.add_argument("--setting", action="append", default=[], metavar="KEY", help="a setting that was swept")
    parser.add_argument("--baseline", default="baseline", metavar="SCHEME")
    args = parser.parse_args()
    if pandas is None:
        print("frames.py: pandas is not installed (Debian: python3-pandas)", file=sys.stderr)
        sys.exit(77)
    cells = speedups(load(args.store, args.setting), args.setting, args.baseline)
    print(cells.reset_index().to_csv(index=False, float_format="%.12g"), end="")


if __name__ == "__main__":
    main()
