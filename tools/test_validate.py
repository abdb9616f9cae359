#!/usr/bin/env python3
"""Tests of validate.py."""
import contextlib
import gzip
import io
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import validate  # noqa: E402

HEAD = "# 2026, a GPU\n# metric inst = smsp__inst_executed.sum\n" + "\t".join(validate.COLUMNS) + "\n"


class Validate(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def table(self, *rows, text=None):
        path = self.folder / "validate-default.tsv"
        path.write_text(HEAD + "".join("\t".join(map(str, r)) + "\n" for r in rows) if text is None else text)
        return validate.read(path)

    def values(self, workload, metric, *repeats):
        return [(workload, "k", n, r, metric, v) for r, values in enumerate(repeats, 1) for n, v in enumerate(values)]

    def test_rows_and_head_are_read(self):
        t = self.table(*self.values("a", "inst", [10, 20]), ("b", "", "", "", "FAILED", "signal 11"),
                       ("a", "", "", 1, "launches", 70), ("a", "", "", "", "result", "WRONG: 1 of 1"))
        self.assertEqual(t.name, "default")
        self.assertEqual(t.notes, ["2026, a GPU"])
        self.assertEqual(t.counters, {"inst": "smsp__inst_executed.sum"})
        self.assertEqual(t.sums("a", "inst"), [30])
        self.assertEqual((t.failed, t.wrong, t.launches["a"]), ({"b": "signal 11"}, {"a": "WRONG: 1 of 1"}, {1: 70}))
        self.assertEqual(t.kernels["a"], {0: "k", 1: "k"})

    def test_sums_are_over_launches_that_every_repeat_has(self):
        t = self.table(*self.values("a", "l1_ld_hits", [1, 2, 4], [1, 3]))
        self.assertEqual(t.sums("a", "l1_ld_hits"), [3, 4])

    def test_empty_launches_are_subtracted_once_per_launch(self):
        t = self.table(*self.values("empty", "sm_cycles", [100, 102, 101, 103, 900], [101, 101, 101, 101, 900]),
                       *self.values("a", "sm_cycles", [201, 301, 50]), *self.values("a", "l1_ld_hits", [7]),
                       *self.values("empty", "l1_ld_hits", [5]))
        self.assertEqual(t.overhead("sm_cycles"), 101)
        self.assertEqual(t.sums("a", "sm_cycles"), [300])
        self.assertEqual(t.sums("a", "sm_cycles", gross=True), [552])
        self.assertEqual(t.sums("a", "l1_ld_hits"), [7])

    def test_spread(self):
        self.assertEqual(validate.spread([100, 110, 90]), 20)
        self.assertEqual(validate.spread([0, 0]), 0)
        self.assertEqual(validate.spread([0, 0, 3]), float("inf"))
        self.assertIsNone(validate.spread([1]))

    def test_noise_has_the_worst_workload_and_leaves_out_what_failed(self):
        t = self.table(*self.values("a", "inst", [100], [100]), *self.values("b", "inst", [100], [110]),
                       *self.values("c", "inst", [1], [100]), ("c", "", "", "", "FAILED", "x"))
        with contextlib.redirect_stdout(io.StringIO()) as out:
            validate.noise([t], None, True, False)
        lines = out.getvalue().splitlines()
        self.assertEqual(lines[0], "default: c: FAILED: x")
        self.assertEqual(lines[3].split(), ["default", "inst", "2", "0", "4.76", "9.52", "9.52", "b"])
        self.assertEqual(lines[-1].split(), ["default", "b", "inst", "1", "2", "105", "9.52"])

    def test_a_line_that_was_cut_is_left_out(self):
        text = HEAD + "a\tk\t0\t1\tinst\t10\na\tk\t1\t1\tinst\t1"
        self.assertEqual(self.table(text=text).sums("a", "inst"), [10])

    def test_packed_files(self):
        path = self.folder / "validate-cg.tsv.gz"
        path.write_bytes(gzip.compress((HEAD + "a\tk\t0\t1\tinst\t10\n").encode()))
        t = validate.read(path)
        self.assertEqual((t.name, t.sums("a", "inst")), ("cg", [10]))

    def test_what_is_no_such_table_is_refused(self):
        for text in ("a\tb\n", HEAD + "a\tk\t0\t1\tinst\tmany\n", HEAD + "a\tk\t0\n"):
            with self.subTest(text), self.assertRaises(SystemExit):
                self.table(text=text)


if __name__ == "__main__":
    unittest.main()
