#!/usr/bin/env python3
"""The Python module: python_module.py INSTALLATION"""
import os
import sys
import tempfile
import unittest

import weir

ROOT = sys.argv.pop(1)


class Module(unittest.TestCase):
    def test_is_the_installed_one(self):
        self.assertTrue(weir.data_dir().startswith(ROOT), weir.data_dir())
        self.assertRegex(weir.version(), r"^\d+\.\d+\.\d+")

    def test_statistics(self):
        with weir.Session("fermi-s3", settings={"l1.size": "8K"}, threads=2, check=True) as s:
            self.assertEqual(s.add("baseline"), 0)
            self.assertEqual(s.add("baseline", name="slow", settings={"l1.hit_latency": 2000}), 1)
            self.assertEqual(s.add("baseline", name="other", policies=["lru"]), 2)
            s.run("gather", input="test")
            self.assertEqual(s.designs, ["baseline", "slow", "other"])
            self.assertEqual(s.kernels, ["gather"])
            all_of, one = s.stats("slow"), s.stats("slow", kernel="gather")
            self.assertEqual(all_of, one)
            self.assertIsInstance(all_of["l1.hits"], int)
            self.assertIsInstance(all_of["derived.ipc"], float)
            self.assertGreater(all_of["cycles"], s.stat("cycles"))
            self.assertEqual(s.stat("cycles", design=1), all_of["cycles"])
            self.assertEqual(s.statistic("cycles").unit, "cycle")
            self.assertGreater(len(all_of), 100)

    def test_errors_are_exceptions(self):
        with self.assertRaises(weir.Error) as e:
            weir.Session("fermi-s33")
        self.assertEqual(e.exception.code, "ENOENT")
        self.assertIn("did you mean 'fermi-s3'?", str(e.exception))
        with self.assertRaises(weir.Error):
            weir.Session("fermi-s3", threads=0)
        with weir.Session("fermi-s3") as s:
            with self.assertRaises(weir.Error):
                s.add("baseline", policies="coordinated")
            with self.assertRaises(weir.Error):
                s.run("vecadd")
            s.add("baseline")
            with self.assertRaises(ValueError):
                s.add("baseline")
            with self.assertRaises(weir.Error):
                s.stat("cycles")
            s.run("vecadd", input="test")
            with self.assertRaises(weir.Error):
                s.stat("l1.hit")
            with self.assertRaises(KeyError):
                s.stats("decoupled")
            with self.assertRaises(KeyError):
                s.stats(kernel="nothing")
        with self.assertRaises(ValueError):
            s.run("vecadd")

    def test_callbacks(self):
        seen = []
        with weir.Session("fermi-s3") as s:
            s.add("decoupled")
            s.watch(lambda design, kernel, cycle, blocks: seen.append((design, kernel)) or len(seen) < 2)
            with self.assertRaises(weir.Error) as e:
                s.run("vecadd", input="test")
            self.assertEqual(e.exception.code, "ELIMIT")
            self.assertEqual(seen, [("decoupled", "vecadd")] * 2)

            def wrong(*_):
                raise ZeroDivisionError("in the callback")

            s.watch(wrong)
            with self.assertRaises(ZeroDivisionError):
                s.run("vecadd", input="test")
            s.watch(None)
            s.run("vecadd", input="test")

    def test_output_of_kernels(self):
        ptx = """.version 7.5
.target sm_75
.address_size 64
.extern .func (.param .b32 r) vprintf (.param .b64 format, .param .b64 args);
.global .align 1 .b8 text[4] = {104, 105, 10, 0};
.visible .entry say() {
  .reg .b32 %r<3>; .reg .b64 %rd<4>;
  mov.u64 %rd1, text;
  cvta.global.u64 %rd2, %rd1;
  { .param .b64 a; st.param.b64 [a], %rd2; .param .b64 b; st.param.b64 [b], 0; .param .b32 r;
    call.uni (r), vprintf, (a, b); ld.param.b32 %r1, [r]; }
  ret;
}
"""
        launch = "weir: 1\nname: say\nmodules: [say.ptx]\nlaunches: [{kernel: say, grid: [1], block: [1], args: []}]\n"
        text = []
        with tempfile.TemporaryDirectory() as folder:
            for name, content in (("say.ptx", ptx), ("say.yaml", launch)):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
                    f.write(content)
            with weir.Session("fermi-s3") as s:
                s.output(text.append)
                for scheme in ("baseline", "decoupled"):
                    s.add(scheme)
                    text.clear()
                    s.run(os.path.join(folder, "say.yaml"))
                    self.assertEqual(b"".join(text), b"hi\n")
                self.assertIsNone(s.stat("derived.hit_rate_ld"))  # of no loads


unittest.main()
