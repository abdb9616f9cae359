#!/usr/bin/env python3
"""Tests of classes.py."""
import pathlib
import sys
import unittest
from fractions import Fraction
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import classes  # noqa: E402

PAPER = """\
groups:
  sensitive:                     # whole programs
    BFS: rodinia-bfs
    b+tree: rodinia-btree
  kernels:
    PVC program: mars-pvc
columns:
  BL: {scheme: baseline}
figures:
  - id: Table 1
    claims:
      - {says: BFS gains, ours: "v('BFS', 'BALL')", paper: 1.36}
      - says: it loses
        ours: "v('b+tree', 'BALL')"
        paper: 0.5
        holds: ["v('BFS', 'BALL') < 0.46", "v('BFS', 'BALL') > v('b+tree', 'BALL')"]
      - says: BFS has 1 ca, 7 cm and 0 cg loads; which classes are there
  - id: Kernel of PVC
    kernel: mars_copy
    claims:
      - says: PVC has 0 ca, 3 cm and 0 cg loads; which classes are there
"""
MEASURED = """\
## S0: one

### Table 1: speed

| application | workload | BL | BALL |
| --- | --- | ---: | ---: |
| PTF | rodinia-particlefilter | 1.000 | 1.300 |
| GS | rodinia-gaussian (sketch) | 1.000 | - |
| geometric mean |  | 1.000 | 1.300 |

- S0-1 **reproduced**: a claim.

### Table 10: another

| application | workload | BALL |
| --- | --- | ---: |
| PTF | rodinia-particlefilter | 9.000 |

## S1: two
"""


def load(kernel, of):
    return {"application": "BFS", "workload": "rodinia-bfs", "kernel": kernel, "group": "1", "accesses": "10",
            "hits_alone": "4", "hits_in_group": "6", "class": of}


def experiment(paper, application, measure, **other):
    return {"paper": paper, "application": application, "workload": "", "input": "eval", "set": "", "measure": measure,
            "result": "", "explains": "no", "says": "", **other}


class Classes(unittest.TestCase):
    def test_what_a_paper_says(self):
        paper = classes.Paper("S9", PAPER)
        self.assertEqual(paper.groups["sensitive"], {"BFS": "rodinia-bfs", "b+tree": "rodinia-btree"})
        self.assertEqual(paper.workload("PVC program"), "mars-pvc")
        self.assertEqual(paper.printed("Table 1", "BALL"), {"BFS": 1.36, "b+tree": 0.5})
        self.assertEqual(paper.limits("Table 1", "BALL"), {"BFS": ("<", 0.46)})
        self.assertEqual(paper.loads(), {"BFS": ((1, 7, 0), None), "PVC": ((0, 3, 0), "mars_copy")})

    def test_papers_are_read(self):
        for name, n in (("S0", 18), ("S3", 15)):
            groups = classes.Paper(name).groups.values()
            self.assertEqual(sum(map(len, groups)), n)
        self.assertEqual(len(classes.Paper("S0").printed("Table 1", "BALL")), 18)
        self.assertEqual(len(classes.Paper("S1").printed("Fig 1, misses", "BL")), 6)
        self.assertEqual(len(classes.Paper("S1").printed("Fig 1, warps", "watched")), 4)
        s4 = classes.Paper("S4")
        self.assertEqual(len(s4.loads()), 29)
        for application in s4.loads():
            self.assertTrue((classes.ROOT / "workloads" / s4.workload(application)).is_dir())

    def test_the_kernel_of_a_paper(self):
        self.assertEqual(classes.kernel_of("rodinia-bfs"), "bfs_visit")
        self.assertEqual(classes.kernel_of("rodinia-srad2"), "srad2_coefficients")
        self.assertIsNone(classes.kernel_of("rodinia-nw"))
        self.assertIsNone(classes.kernel_of("parboil-histo"))

    def test_a_table_of_the_reproduction(self):
        cells, names = classes.figure_of(MEASURED, "S0", "Table 1")
        self.assertEqual(cells, {"PTF": {"BL": "1.000", "BALL": "1.300"}, "GS": {"BL": "1.000", "BALL": "-"}})
        self.assertEqual(names["GS"], "rodinia-gaussian (sketch)")
        self.assertEqual(classes.figure_of(MEASURED, "S1", "Table 1"), ({}, {}))
        self.assertEqual(classes.figure_of(MEASURED, "S3", "Table 1"), ({}, {}))

    def test_classes_of_programs(self):
        self.assertEqual([classes.class_s0(x) for x in (1.006, 1.005, 0.995, 0.994, None)], ["CNF", "CI", "CI", "CF", "-"])
        self.assertEqual(classes.class_s3({"32 B": "0.9", "64 B": "1.001"}), "CLN")
        self.assertEqual(classes.class_s3({"32 B": "0.9", "64 B": "1.000"}), "CLP")
        self.assertEqual(classes.class_s3({"32 B": "0.9", "64 B": "-"}), "-")
        self.assertEqual([classes.class_s1(x) for x in (1.1, 0.9, None)], ["B", "C", "-"])

    def test_counts_of_loads(self):
        rows = [load("a", "ca"), load("a", "cg"), load("b", "cm"), load("b", "own")]
        self.assertEqual(classes.counts_of(rows), (1, 1, 1))
        self.assertEqual(classes.counts_of(rows, "a"), (1, 0, 1))
        self.assertEqual(classes.in_common((1, 7, 0), (4, 3, 1)), 4)

    def test_shares(self):
        self.assertEqual(classes.share([True, False, True]), "2 of 3 agree")
        self.assertEqual(classes.share([True, None]), "1 of 1 agree; 1 are not run yet")

    def test_misses_with_stores(self):
        run = {"l1": {"misses": 3, "partial_misses": 1, "loads": 8, "stores": 8, "store_hits": 2}}
        self.assertEqual(classes.rate(run), 0.5)
        self.assertEqual(classes.rate(run, stores=True), 10 / 16)

    def test_readings_of_the_rule(self):
        rows = [load("a", "cm"), {**load("a", "ca"), "hits_alone": "7", "hits_in_group": "9"},
                {**load("a", "cm"), "group": "2", "accesses": "0"}]
        self.assertEqual([[None if x is None else float(x) for x in classes.rates(rows, reading)]
                          for reading in classes.READINGS.values()],
                         [[0.6, 0.9, None], [0.4, 0.7, None], [0.6, 0.9, None], [0.75, 0.75, None]])
        self.assertEqual([classes.class_of(x) for x in (Fraction(7, 10), Fraction(3, 10), 0.5, None)], ["ca", "cg", "cm", "cm"])
        said = {"BFS": ((1, 2, 0), None)}
        found = {"BFS": classes.rates(rows, next(iter(classes.READINGS.values())))}
        self.assertEqual(classes.agreement(said, found), (3, 1))
        self.assertEqual(classes.agreement(said, found, high=1, low=0.6), (2, 0))

    def test_the_rule_gives_the_classes_that_were_measured(self):
        loads = classes.read(classes.LOADS)
        for application in {r["application"] for r in loads}:
            rows = [r for r in loads if r["application"] == application]
            rates = classes.rates(rows, next(iter(classes.READINGS.values())))
            self.assertEqual([classes.class_of(x) for x in rates], [r["class"] for r in rows])

    def test_a_page_of_what_there_is(self):
        why = [experiment("S0", "PTF", "L1 off", set="l1.ways=8 l1.size=32K", result="1.100", says="it is the size"),
               experiment("S0", "GS", "L1 off", says="was not run"),
               experiment("S4", "BFS", "loads", result="1 / 6 / 0", says="so it is"),
               experiment("S4", "BFS", "loads", input="profile@nvcc", result="8 / 6 / 0", says="more loads")]
        page = classes.made(MEASURED, [load("bfs_visit", "ca"), load("bfs_visit", "cm")], why)
        self.assertIn("| PTF | rodinia-particlefilter | 1.36 | 1.300 | CNF | CNF | yes |", page)
        self.assertIn("| GS | rodinia-gaussian (sketch) | 1.00 | - | CI | - | - |", page)
        self.assertIn("**1 of 1 agree; 17 are not run yet.**", page)
        self.assertIn("| PTF | input `eval`, `l1.ways=8`, `l1.size=32K` | 1.100 | no | it is the size |", page)
        self.assertNotIn("was not run", page)
        self.assertIn("| BFS | rodinia-bfs | bfs_visit | 1 | 7 | 0 | 1 | 1 | 0 | 2 of 8 | **no** |", page)
        self.assertIn("| BFS | input `eval` | 1 / 6 / 0 (7 of 8) | no | so it is |", page)
        self.assertIn("| BFS | input `profile@nvcc` | 8 / 6 / 0 | no | more loads |", page)
        self.assertIn("| bfs | rodinia-bfs | - | - | CLN | - | - |", page)

    def test_what_is_explained(self):
        why = [experiment("S0", "a", "L1 off", result="1", says="x"), experiment("S0", "a", "L1 off", result="1", says="x",
                                                                                 explains="partly"),
               experiment("S0", "b", "L1 off", result="1", says="x", explains="yes"),
               experiment("S0", "c", "L1 off", result="1"), experiment("S1", "d", "misses", result="1", says="x")]
        self.assertEqual(classes.explained("S0", ["a", "b", "c", "d"], why),
                         ["", "Of those that differ are explained: b; explained in part: a; not looked at: c, d."])
        self.assertEqual(classes.explained("S0", [], why), [])

    def test_experiments_are_whole(self):
        for row in classes.read(classes.WHY):
            self.assertTrue(classes.Paper(row["paper"]).workload(row["application"]))
            self.assertTrue(row["result"], row)
            self.assertEqual(row["explains"] in classes.VERDICTS, bool(row["says"]), row)

    def test_a_page_of_nothing(self):
        page = classes.made("", [], [])
        self.assertIn("**0 of 0 agree; 18 are not run yet.**", page)
        self.assertIn("| BFS | rodinia-bfs | bfs_visit | 1 | 7 | 0 | - | - | - | - | - |", page)

    def test_one_setting_for_all(self):
        said = {"BFS": ((1, 1, 0), None)}
        loads = [load("bfs_visit", "ca"), load("bfs_visit", "cg")]
        row = experiment("S4", "BFS", "loads", input="profile", set="x=1", result="1 / 1 / 0")
        self.assertEqual(classes.settings_table(said, loads, [row]), [])
        with mock.patch.object(classes, "SEVERAL", 1):
            self.assertEqual(classes.settings_table(said, loads, [row])[-1], "| `x=1` | 1 | 2 | 1 | 2 | 0 | 1 |")

    def test_an_experiment(self):
        runner = mock.Mock()
        runner.timed.side_effect = [{"baseline": {"cycles": 300}}, {"baseline": {"cycles": 200}}]
        self.assertEqual(classes.outcome(runner, experiment("S3", "bfs", "32 B", set="noc.crossbar=ideal")), "1.500")
        self.assertEqual(runner.timed.call_args[0], ("rodinia-bfs", "eval", "fermi-s3", ["baseline"],
                                                     ["noc.crossbar=ideal", *classes.LINES["32 B"]]))
        runner.cycles.side_effect = [450, 300]
        self.assertEqual(classes.outcome(runner, experiment("S0", "PTF", "L1 off, particle_weigh")), "1.500")
        self.assertEqual(runner.cycles.call_args[0][-1], "particle_weigh")
        runner.classify.return_value = [load("bfs_visit", "ca"), load("bfs_advance", "cg")]
        self.assertEqual(classes.outcome(runner, experiment("S4", "BFS", "loads", set="cls.high=0.9")), "1 / 0 / 0")
        self.assertEqual(runner.classify.call_args[0], ("rodinia-bfs", "eval", ["cls.high=0.9"]))


if __name__ == "__main__":
    unittest.main()
