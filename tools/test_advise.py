#!/usr/bin/env python3
"""Tests of advise.py."""
import argparse
import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import advise  # noqa: E402
import ranks  # noqa: E402


def advice(gain=None, hints=("cg", None), carveout=None):
    return {"weir_advise": 1, "advised": gain is not None, "gain_found": gain or 0.0,
            "repeats": None if gain is None else {"n": 5, "gain": {"mean": gain, "low": gain, "high": gain}},
            "kernels": [{"kernel": "k", "carveout": carveout, "loads": [{"hint": h} for h in hints]}]}


def gpu_rows(name, before, after, launches=1, result="ok"):
    return [[name, launches, side, i, us, result] for side, v in ((0, before), (1, after)) for i, us in enumerate(v)]


class Advise(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def put(self, name, what):
        (self.folder / f"{name}.json").write_text(json.dumps(what), encoding="utf-8")

    def put_gpu(self, rows, empty=2.0):
        with mock.patch.object(advise.subprocess, "run", side_effect=OSError):
            text = advise.gpu_text(rows, empty, argparse.Namespace(runs=7))
        (self.folder / "gpu.tsv").write_text(text, encoding="utf-8")

    def table(self):
        output = self.folder / "page.md"
        with contextlib.redirect_stdout(io.StringIO()):
            advise.table(argparse.Namespace(outdir=self.folder, output=output))
        return output.read_text(encoding="utf-8")

    def test_ranks_share_what_is_equal(self):
        self.assertEqual(ranks.ranks_of([3, 1, 3, 2]), [3.5, 1, 3.5, 2])

    def test_spearman_by_hand(self):
        self.assertAlmostEqual(ranks.spearman([1, 2, 3, 4], [10, 20, 30, 45]), 1)
        self.assertAlmostEqual(ranks.spearman([1, 2, 3], [3, 2, 1]), -1)
        self.assertAlmostEqual(ranks.spearman([1, 2, 3, 4], [1, 3, 2, 4]), 0.8)  # 1 - 6 * 2 / (4 * 15)
        self.assertIsNone(ranks.spearman([1, 2], [1, 2]))
        self.assertIsNone(ranks.spearman([1, 1, 1], [1, 2, 3]))

    def test_gain_is_net_of_empty_launches(self):
        times = {0: [24.0, 23.0, 25.0], 1: [14.0, 14.0, 15.0]}
        c = advise.Compared("w", advice(0.5), times, 2, 2.0)
        self.assertAlmostEqual(c.measured, 20 / 10 - 1)
        self.assertAlmostEqual(c.noise, 2 / 20)
        self.assertEqual(c.hints, 1)

    def test_page_has_the_worst_promise_and_signs(self):
        for name, gain, carve in (("a", 0.5, 0), ("b", 0.2, None), ("c", 0.1, None), ("d", 0.05, None)):
            self.put(name, advice(gain, carveout=carve))
        self.put("e", advice())
        rows = gpu_rows("a", [32, 32, 32], [22, 22, 22]) + gpu_rows("b", [12, 12, 12], [22, 22, 22])
        rows += gpu_rows("c", [13, 13, 13], [12, 12, 12]) + gpu_rows("d", [12, 12, 12], [12, 12, 12])
        self.put_gpu(rows)
        text = self.table()
        self.assertIn("4 workloads have advice", text)
        self.assertIn("for 2; it cost time for 1; for 1 it did neither", " ".join(text.split()))
        self.assertIn("b, +20.0 % promised, -50.0 % measured", text)
        self.assertIn("| a | 1 | 0 | +50.0 | +50.0 | 0.0 | 30.0 |", text)
        self.assertIn("Nothing is advised for 1 workloads: e.", text)
        self.assertTrue(all(len(line) <= 120 for line in text.splitlines() if not line.startswith("|")))

    def test_wrong_results_are_no_gain(self):
        self.put("a", advice(0.5))
        self.put_gpu(gpu_rows("a", [32, 32, 32], [22, 22, 22], result="WRONG: 1 of 1"))
        text = self.table()
        self.assertIn("Nothing has been measured", text)
        self.assertIn("- a: WRONG: 1 of 1", text)

    def test_a_broken_table_names_its_line(self):
        self.put("a", advice(0.5))
        (self.folder / "gpu.tsv").write_text("\t".join(advise.GPU_COLUMNS) + "\na\t1\n", encoding="utf-8")
        with self.assertRaisesRegex(SystemExit, "gpu.tsv:2: not a row of 6 cells"):
            self.table()

    def test_other_json_is_refused(self):
        self.put("a", {"weir_compare": 1})
        with self.assertRaisesRegex(SystemExit, "a.json: no advice"):
            advise.read_advice(self.folder)

    def test_ptx_and_carveouts_are_kept_where_there_is_advice(self):
        module = self.folder / "m.ptx"
        module.write_text("text", encoding="utf-8")
        out = self.folder / "out"
        out.mkdir()
        advise.keep(out, "a", advice(0.5, carveout=30), [module])
        advise.keep(out, "b", advice(), [module])
        self.assertEqual((out / "ptx/a/m.ptx").read_text(encoding="utf-8"), "text")
        self.assertEqual((out / "ptx/a/carveouts").read_text(encoding="utf-8"), "k 30\n")
        self.assertFalse((out / "ptx/b").exists())
        self.assertEqual(sorted(advise.read_advice(out)), ["a", "b"])

    def test_modules_of_a_build_or_of_the_file(self):
        file = self.folder / "w.yaml"
        file.write_text("builds:\n  fermi: {modules: [w.fermi.ptx]}\n  nvcc: {modules: [w.ptx, v.ptx]}\n", encoding="utf-8")
        self.assertEqual(advise.modules_of(file, "nvcc"), ["w.ptx", "v.ptx"])
        self.assertEqual(advise.input_of(file, "profile", "nvcc"), "profile@nvcc")
        file.write_text("weir: 1\nmodules: [w.ptx]\n", encoding="utf-8")
        self.assertEqual(advise.modules_of(file, "nvcc"), ["w.ptx"])
        self.assertEqual(advise.input_of(file, "profile", "nvcc"), "profile")
        file.write_text("weir: 1\n", encoding="utf-8")
        with self.assertRaisesRegex(advise.Failed, "modules"):
            advise.modules_of(file, "nvcc")

    def test_every_workload_has_modules(self):
        for name in advise.suite([]):
            file = advise.ROOT / "workloads" / name / f"{name}.yaml"
            for module in advise.modules_of(file, "nvcc"):
                self.assertTrue((file.parent / module).exists(), f"{name}: {module}")

    def test_rows_of_launch_gpu(self):
        text = "workload\tinput\n" + "".join(f"a\tprofile@nvcc\t{k}\t3\t9.00\t8.00\t10.00\tff\tok\n" for k in ("its file", "ptx/a"))
        rows = advise.rows_of("a", text, ["a\tprofile@nvcc\t0\t0\t9.00", "a\tprofile@nvcc\t1\t0\t8.00"])
        self.assertEqual(rows, [["a", "3", "0", "0", "9.00", "ok"], ["a", "3", "1", "0", "8.00", "ok"]])
        with self.assertRaises(advise.Failed):
            advise.rows_of("a", "a.yaml\tFAILED: signal 11\n", [])


if __name__ == "__main__":
    unittest.main()
