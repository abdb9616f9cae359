#!/usr/bin/env python3
"""Tests of validate.py."""
import argparse
import contextlib
import gzip
import io
import json
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import validate  # noqa: E402
import validate_page  # noqa: E402
import validate_weir  # noqa: E402

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


# vecadd's counters on an H200, as docs/ncu.md has them; 80 sectors of the DRAM are those of an empty launch.
VECADD = {"inst": 100000, "l1_ld_sectors": 28672, "l1_ld_hits": 0, "l1_ld_misses": 28672, "l2_tex_reads": 28672,
          "l2_tex_read_hits": 0, "l2_tex_writes": 14336, "dram_rd_sectors": 28752, "dram_wr_sectors": 0,
          "sm_cycles": 32651}
EMPTY = {"inst": 4, "l1_ld_hits": 0, "dram_rd_sectors": 80, "dram_wr_sectors": 0, "sm_cycles": 2651}
IN_WEIR = {"cycles": 33000, "sm": {"warp_insns": 99996},
           "l1": {"global_load_sectors": 28672, "local_load_sectors": 0, "sectors_missed": 28672, "sectors_bypassed": 0, "texture_sectors_missed": 0,
                  "bytes": 1024},
           "l2": {"load_sectors": 28672, "load_sectors_missed": 28672, "write_sectors": 14336},
           "dram": {"read_bytes": 28672 * 32, "write_bytes": 0}}
# A program that answers as weir does: it notes its commands, and what it times is what is written down for it.
WEIR = """#!/usr/bin/env python3
import json, pathlib, sys
here, words = pathlib.Path(__file__).parent, sys.argv[1:]
with open(here / "commands", "a") as f:
    f.write(" ".join(words) + "\\n")
if words[0] == "help":
    print((here / "machine").read_text())
elif words[0] == "record":
    pathlib.Path(words[words.index("-o") + 1]).touch()
elif words[0] == "replay":
    if (here / "broken").exists():
        sys.exit("weir: the trace is broken\\n  make it again")
    text = (here / "answer.json").read_text()
    pathlib.Path(words[words.index("-j") + 1]).write_text(text)
"""


class EndToEnd(unittest.TestCase):
    """Hardware's files and results of weir that are made up, and the page of them."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.work, self.page = self.folder / "work", self.folder / "page.md"
        (self.folder / "machine").write_text("sm.count  132  NVIDIA\n")
        self.weir = self.folder / "weir"
        self.weir.write_text(WEIR)
        self.weir.chmod(0o755)
        self.answer(IN_WEIR)
        for config, cycles in (("default", 32651), ("cg", 42651)):
            self.hardware(config, VECADD | {"sm_cycles": cycles})

    def hardware(self, config, values, workload="vecadd"):
        rows = [(w, "vecadd", n, r, m, v) for w, of, launches in ((workload, values, 1), ("empty", EMPTY, 4))
                for m, v in of.items() for n in range(launches) for r in (1, 2, 3)]
        head = f"# today\n# a GPU, 580\n# configuration {config}, input profile, build nvcc\n"
        text = head + "\t".join(validate.COLUMNS) + "\n" + "".join("\t".join(map(str, r)) + "\n" for r in rows)
        (self.folder / f"validate-{config}.tsv").write_text(text)

    def answer(self, *timings, kernel="vecadd"):
        kernels = [{"kernel": kernel, "timing": t} for t in timings]
        (self.folder / "answer.json").write_text(json.dumps({"kernels": kernels}))

    def run_it(self, *more):
        words = ["run", "--weir", str(self.weir), "--hardware", str(self.folder), "--work", str(self.work),
                 "--micro", str(self.folder / "none"), "--configs", "default,cg", *more]
        (self.folder / "commands").write_text("")
        with mock.patch.object(sys, "argv", ["validate.py", *words]), contextlib.redirect_stderr(io.StringIO()) as said:
            validate.main()
        self.said = said.getvalue()
        return [c for c in (self.folder / "commands").read_text().splitlines() if not c.startswith("help")]

    def of_page(self, do=validate.table):
        do(argparse.Namespace(files=[self.folder / "validate-default.tsv", self.folder / "validate-cg.tsv"],
                              work=self.work, micro=self.folder / "none", output=self.page))
        return self.page.read_text()

    def row(self, text, *begin):
        return next(line.split(" | ") for line in text.splitlines() if line.startswith("| " + " | ".join(begin)))

    def test_what_is_kept_is_not_run_again(self):
        commands = self.run_it()
        self.assertEqual([c.split()[0] for c in commands], ["record", "replay", "record", "replay"])
        self.assertTrue(all("--count 1 " in c for c in commands if c.startswith("replay")))
        self.assertEqual(self.run_it(), [])
        text = (self.work / "cg.tsv").read_text()
        (self.work / "cg.tsv").write_text("".join(line for line in text.splitlines(True) if "vecadd" not in line))
        self.assertEqual(len(self.run_it()), 2)
        self.assertEqual((self.work / "cg.tsv").read_text(), text)

    def test_another_machine_is_run_again(self):
        self.run_it()
        (self.folder / "machine").write_text("sm.count  114  NVIDIA\n")
        self.assertEqual(len(self.run_it()), 4)
        self.assertEqual(len(self.run_it("--set", "sched.order=loops")), 4)

    def test_cg_is_executed_from_other_ptx(self):
        folder = self.folder / "there"
        folder.mkdir()
        file = validate_weir.with_cg(validate_weir.file_of("vecadd"), folder)
        self.assertIn("ld.global.cg.", (file.parent / "vecadd.ptx").read_text())
        self.assertNotRegex((file.parent / "vecadd.ptx").read_text(), r"ld\.global\.(?!cg)")
        self.assertEqual(file.read_text(), validate_weir.file_of("vecadd").read_text())

    def test_carve_outs_are_settings(self):
        for config in ("l1-large", "l1-small"):
            self.hardware(config, VECADD)
        commands = self.run_it("--configs", "l1-large,l1-small")
        self.assertEqual([c.split()[0] for c in commands], ["record", "replay", "replay"])
        self.assertTrue(commands[1].endswith("--set launch.carveout=0"))
        self.assertTrue(commands[2].endswith("--set launch.carveout=100"))

    def test_what_fails_is_a_row_and_a_line_of_the_page(self):
        (self.folder / "broken").touch()
        self.run_it()
        self.assertIn("vecadd, cg: weir replay: the trace is broken", self.said)
        self.assertIn("\t\tFAILED\tweir replay: the trace is broken\n", (self.work / "cg.tsv").read_text())
        self.assertIn("- `cg`, vecadd: weir failed: weir replay: the trace is broken", self.of_page())
        (self.folder / "broken").unlink()
        self.assertEqual(self.run_it(), [])
        self.assertEqual(len(self.run_it("--retry")), 4)
        self.assertNotIn("FAILED", (self.work / "cg.tsv").read_text())

    def test_other_launches_than_on_the_gpu_are_a_failure(self):
        self.answer(IN_WEIR, kernel="other")
        self.run_it()
        self.assertIn("launch 0 is other, on the GPU vecadd", (self.work / "default.tsv").read_text())
        self.answer()
        self.run_it("--retry")
        self.assertIn("there are 0 launches", (self.work / "default.tsv").read_text())

    def test_a_workload_without_a_launch_file_is_a_failure(self):
        self.hardware("default", VECADD, "nowhere")
        self.run_it("--configs", "default")
        self.assertIn("there is no workloads/nowhere/nowhere.yaml", (self.work / "default.tsv").read_text())

    def test_the_page_has_both_sides(self):
        self.run_it()
        text = self.of_page()
        self.assertEqual(text, self.of_page())
        cells = self.row(text, "vecadd", "1")[2:]
        self.assertEqual(cells, ["99,996 / 99,996 / +0.0 %", "28,672 / 28,672 / +0.0 %", "0.0 / 0.0 / +0.0",
                                 "28,672 / 28,672 / +0.0 %", "0.0 / 0.0 / +0.0", "14,336 / 14,336 / +0.0 %",
                                 "917,504 / 917,504 / +0.0 %", "0 / 0 / +0.0 %", "30,000 / 33,000 / +10.0 % |"])
        self.assertEqual(self.row(text, "default", "cycles")[2:],
                         ["%", "1", "10.0", "10.0", "10.0", "vecadd", "0.00 |"])
        self.assertEqual(self.row(text, "all", "cycles")[3:6], ["2", "13.8", "13.8"])
        self.assertEqual(self.row(text, "all", "2")[1:],
                         ["2", "1.15", "1.21", "vecadd, launch 0 (cg)", "1.00 |"])
        # ca is faster there, and the same here.
        self.assertEqual(self.row(text, "vecadd", "0.750"),
                         ["| vecadd", "0.750", "1.000", "ca", "same", "**wrong**", "0.00 |"])
        self.assertIn("- GPU: a GPU, driver 580\n", text)
        self.assertNotIn("not run here", text)
        wide = [line for line in text.splitlines() if len(line) > 120 and not line.startswith("|")]
        self.assertEqual(wide, [])

    def test_a_rule_is_taken_away(self):
        self.run_it()
        self.assertNotIn("What each rule contributes", self.of_page())
        self.answer(IN_WEIR | {"cycles": 30600})
        commands = self.run_it("--configs", "rules")  # executed once, held against the GPU's default configuration
        self.assertEqual([c.split()[0] for c in commands], ["record"] + len(validate_weir.RULES) * ["replay"])
        self.assertTrue(any(c.endswith("--set dram.page=open") for c in commands))
        text = self.of_page()
        self.assertEqual(self.row(text, "the model as it is")[2:], ["1", "0.0", "0.0", "0.0", "10.0", "0", "0", "0 |"])
        self.assertEqual(self.row(text, "without the order of machine code")[1:],
                         ["`sched.order=off`", "1", "0.0", "0.0", "0.0", "2.0", "1", "1", "0 |"])
        with self.assertRaisesRegex(SystemExit, "without-all is none of .*without-pages"):
            self.run_it("--configs", "without-all")

    def test_check(self):
        self.of_page(lambda args: (validate.check(args), self.page.touch()))  # no page: nothing to check
        self.run_it()
        self.of_page()
        self.of_page(validate.check)
        self.page.write_text("another\n")
        with self.assertRaisesRegex(SystemExit, "tools/validate.py table"):
            self.of_page(validate.check)

    def test_rows_that_are_damaged_are_refused(self):
        self.run_it()
        path = self.work / "default.tsv"
        for old, new in (("vecadd\t99996", "vecadd\tmany"), ("\t28672", ""), ("workload", "work")):
            with self.subTest(old), self.assertRaisesRegex(SystemExit, r"default.tsv:\d+: "):
                text = path.read_text()
                path.write_text(text.replace(old, new, 1))
                try:
                    validate_weir.read(path)
                finally:
                    path.write_text(text)


class Numbers(unittest.TestCase):
    """Errors, noise, verdicts, rings."""

    def cell(self, repeats, weir, quantity=validate_page.CYCLES):
        return validate_page.Cell(quantity, repeats, weir)

    def quantity(self, name):
        return next(q for q in validate_page.QUANTITIES if q.name.startswith(name))

    def test_hit_rates_are_of_sectors(self):
        l1, l2 = self.quantity("L1 hit rate"), self.quantity("L2 hit rate")
        gpu = {"l1_ld_hits": 53424, "l1_ld_misses": 24412, "l2_tex_reads": 400, "l2_tex_read_hits": 100}
        weir = {"l1_ld_sectors": 60000, "l1_local_sectors": 17836, "l1_ld_misses": 24412}
        self.assertAlmostEqual(l1.gpu(gpu.get), 1 - 24412 / 77836)
        self.assertAlmostEqual(l1.weir(weir.get), 1 - 24412 / 77836)
        self.assertEqual(l2.gpu(gpu.get), 0.25)
        self.assertIsNone(l2.gpu({"l2_tex_reads": 0, "l2_tex_read_hits": 0}.get))

    def test_errors(self):
        rate = self.quantity("L1 hit rate")
        self.assertAlmostEqual(self.cell([100, 110, 90], 150).error, 50)
        self.assertAlmostEqual(self.cell([100, 110, 90], 150).noise, 20 / 3)
        self.assertAlmostEqual(self.cell([0.5, 0.6, 0.5], 0.25, rate).error, -25)
        self.assertEqual(self.cell([0], 0).error, 0)
        self.assertIsNone(self.cell([0], 5).error)
        self.assertIsNone(self.cell([None], 0.5, rate).error)
        self.assertEqual(self.cell([0], 5).text(), "0 / 5 / -")

    def test_sums_leave_out_what_has_no_error(self):
        def cells(gpu, weir):
            return [self.cell([gpu], weir, q) for q in validate_page.QUANTITIES]
        lines = validate_page.summed_up("x", [("a", cells(100, 90)), ("b", cells(100, 130)), ("c", cells(0, 7))])
        self.assertEqual(lines[0], ["x", "instructions", "%", "2", "20.0", "20.0", "30.0", "b", "0.00"])

    def test_factors_go_both_ways(self):
        self.assertEqual((validate_page.factor(2, 8), validate_page.factor(8, 2)), (4, 4))
        self.assertIsNone(validate_page.factor(0, 2))
        line = validate_page.factor_line("x", [("a", self.cell([100, 110], 210)), ("b", self.cell([100], 25))])
        self.assertEqual(line, ["x", "2", "2.83", "4.00", "b", "1.10"])

    def test_five_percent_make_a_verdict(self):
        for speedup, said in ((1.06, "cg"), (1.05, "same"), (1, "same"), (0.953, "same"), (0.95, "ca")):
            with self.subTest(speedup):
                self.assertEqual(validate_page.says(speedup, "ca", "cg"), said)

    def test_verdicts(self):
        def verdict(a, b, a_here, b_here):
            return validate_page.Verdict("w", self.cell(a, a_here), self.cell(b, b_here), "ca", "cg")
        v = verdict([200, 202, 201], [100, 100, 100], 400, 100)
        self.assertEqual((v.of_gpu, v.of_weir, v.is_right, v.is_clear), ("cg", "cg", True, True))
        self.assertAlmostEqual(v.effect, 2, 1)
        v = verdict([106, 90, 106], [100, 100, 100], 100, 106)
        self.assertEqual((v.of_gpu, v.of_weir, v.is_right, v.is_clear), ("cg", "ca", False, False))
        self.assertAlmostEqual(v.effect, -1)
        self.assertIsNone(verdict([100], [100], 100, 50).effect)

    def test_rings(self):
        row = "chase\tmode={} kind=ca carve=default bytes=4096 steps=32 tries=3 walk={}\tcyc_per_step.{}\t{}\n"
        text = "".join(row.format(*of) for of in (("pointer", 1, "med", 502.28125), ("pointer", 2, "med", 42.28125),
                                                  ("index", 2, "med", 9), ("pointer", 2, "min", 1)))
        gpu = validate_page.rings_of(text)
        self.assertEqual(gpu, {("ca", "default", 4096): (500, 40)})
        lines = validate_page.ring_part(gpu, {("ca", "default", 4096): ("key", 550.8125, 30.8125),
                                              ("cg", "default", 4096): ("key", 1, 1)})
        self.assertIn("| ca | default | 4 | 500.0 | 550.0 | +10.0 % | 40.0 | 30.0 | -25.0 % |", lines)
        self.assertEqual(validate_page.ring_part(gpu, {}), [])


if __name__ == "__main__":
    unittest.main()
