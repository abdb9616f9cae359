#!/usr/bin/env python3
"""Tests of hw/micro_read.py."""
import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent / "hw"))
import micro_read  # noqa: E402


class MicroRead(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, name, text):
        path = pathlib.Path(self.folder.name) / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    def section(self, name, *rows):
        """The cells of the last line that a section prints of these rows."""
        table = micro_read.read(self.file("m.tsv", "# head\nbenchmark\tparameters\tmetric\tvalue\n" + "\n".join(rows)))
        with contextlib.redirect_stdout(io.StringIO()) as out:
            micro_read.SECTIONS[name](table)
        return out.getvalue().splitlines()[-1].split()

    def joined(self, labels, table):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            micro_read.join(self.file("labels", labels), self.file("csv", table))
        return out.getvalue().splitlines()

    def test_size_is_the_last_footprint_before_the_first_misses(self):
        rows = [f"l1_size\tcarve=force shared_kb=8 order=shuffled bytes={b} lines={b // 128}\t{m}\t{v}"
                for b, misses in ((1024, 0), (2048, 0), (4096, 3), (8192, 0)) for m, v in
                (("misses.med", misses), ("hit_cyc.min", 40))]
        self.assertEqual(self.section("l1_size", *rows),
                         ["force", "8", "shuffled", "2", "KB", "4", "KB", "3", "-", "40", "40"])

    def test_interval_is_of_one_of_four_schedulers(self):
        rows = ["arith_latency\top=a\tcyc.min\t4", "arith_rate\top=a warps=1\tper_cyc.max\t0.5",
                "arith_rate\top=a warps=32\tper_cyc.max\t2"]
        self.assertEqual(self.section("arith", *rows), ["a", "4", "0.5", "2", "2", "2"])

    def test_in_flight_is_rate_times_latency(self):
        rows = [f"inflight\tkind=ca level=l2 shape=line warps={w} ahead={a}\tcyc_per_batch.min\t{c}"
                for w, a, c in ((1, 1, 200), (1, 4, 200), (32, 4, 400))]
        self.assertEqual(self.section("inflight", *rows),
                         ["ca", "l2", "line", "200", "0.02", "4", "4", "0.32", "32x4", "64", "4:400"])

    def test_scheduler_shows_who_went_on(self):
        rows = [f"scheduler\tmode=free warps=2 run=1 warp={w}\tissue_clock\t{c}"
                for w, c in ((0, "0 5 9"), (1, "20 25 30"))]
        self.assertEqual(self.section("scheduler", *rows)[3:], ["3", "3", "0@9", "1@30", "000111"])

    def test_every_section_takes_an_empty_table(self):
        for name in micro_read.SECTIONS:
            with self.subTest(name), contextlib.redirect_stdout(io.StringIO()):
                micro_read.SECTIONS[name](micro_read.read(self.file("m.tsv", "")))

    def test_counters_get_the_labels_of_their_launches(self):
        labels = "count_a\tx=1\ncount_a\tx=2\n"
        want = ["count_a\tx=1\tu__c.sum\t1234", "count_a\tx=2\tu__c.sum\t5"]
        self.assertEqual(self.joined(labels, '==PROF== p\n"ID","Metric Name","Metric Value"\n'
                                     '"0","u__c.sum","1,234"\n"1","u__c.sum","5"\n'), want)
        self.assertEqual(self.joined(labels, '"ID","Kernel Name","u__c.sum"\n"","","sector"\n'
                                     '"0","k","1,234"\n"1","k","5"\n'), want)

    def test_counters_by_launch(self):
        found = micro_read.read_counters('==PROF== p\n"ID","Kernel Name","Metric Name","Metric Value"\n'
                                         '"0","k(int *)","u__c.sum","1,234"\n"0","k(int *)","u__d.sum","n/a"\n')
        self.assertEqual(found, {0: ("k", {"u__c.sum": "1234", "u__d.sum": "n/a"})})
        self.assertEqual(micro_read.read_counters("==ERROR== nothing\n"), {})

    def test_a_launch_without_counters_is_said(self):
        out = self.joined("count_a\tx=1\ncount_a\tx=2\n", '"ID","Metric Name","Metric Value"\n"0","u__c.sum","1"\n')
        self.assertIn("FAILED", out[0])


if __name__ == "__main__":
    unittest.main()
