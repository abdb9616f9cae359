#!/usr/bin/env python3
"""Tests of hw/validate_run.py, with stand-ins for ncu, ptxas, nvidia-smi and launch_gpu."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HW = pathlib.Path(__file__).resolve().parent / "hw"
sys.path.insert(0, str(HW))
import validate_run  # noqa: E402

HEAD = "workload\tinput\trun\tlaunch\tkernel\tgrid\tblock\tdyn_shared\tus\tprofiled\n"

# Workloads: two launches each; one named "bad" ends the process under the profiler.
LAUNCH_GPU = r'''#!PYTHON -IS
import os, pathlib, sys
a, files = sys.argv[1:], []
value = lambda o, d: a[a.index(o) + 1] if o in a else d
i = 0
while i < len(a):
    if a[i] in ("--modules", "--together"):
        i += 1
    elif a[i].startswith("--"):
        i += 2
    else:
        files.append(pathlib.Path(a[i]))
        i += 1
if "--modules" in a:
    for f in files:
        if f.stem != "other":
            print(f"{f}\t{f.stem}\tprofile\t{f.with_suffix('.ptx')}\tsingle")
    sys.exit(0)
open(os.environ["CALLS"], "a").write(" ".join(a) + "\n")
most = int(value("--profile", "0"))
print("workload\tinput\tkernels\tlaunches\tus_median\tus_min\tus_max\tbuffers\tresult")
with open(value("--launches", None), "w") as out:
    print("HEAD", file=out)
    for f in files:
        assert (pathlib.Path(value("--cubins", None)) / (f.stem + ".ptx.cubin")).exists()
        for run in range(int(value("--runs", "1"))):
            for n in range(2):
                if f.stem == "bad" and most:
                    print(f"{f}\tFAILED: bad: CUDA_ERROR_ILLEGAL_ADDRESS")
                    sys.exit(1)
                print(f.stem, "profile", run, n, "k_" + f.stem, "1,1,1", "32,1,1", 0, 1.5, int(n < most), sep="\t", file=out)
        print(f.stem, "profile", "x", 2, 3, 3, 3, "0", "WRONG: 1 of 1; c" if f.stem == "wrong" else "ok", sep="\t")
'''
# Counts in one pass at most two counters of l1tex and three of lts; an extra launch of the driver's comes first.
NCU = r'''#!PYTHON -IS
import os, subprocess, sys
a = sys.argv[1:]
if "--version" in a:
    print("Version 2025.9")
elif "--query-metrics" in a:
    print("Device X")
else:
    metrics = a[a.index("--metrics") + 1].split(",")
    log = a[a.index("--log-file") + 1]
    rest = a[a.index("--log-file") + 2:]
    if "NCU_FAILS" in os.environ:
        open(log, "w").write("==ERROR== Failed to find metric\n")
        sys.exit(1)
    code = subprocess.run(rest).returncode
    passes = max(1, -(-sum(m.startswith("l1tex") for m in metrics) // 2), -(-sum(m.startswith("lts") for m in metrics) // 3))
    rows = [x.split("\t") for x in open(rest[rest.index("--launches") + 1]).read().splitlines()[1:]]
    with open(log, "w") as out:
        out.write("==PROF== Connected to process 1\n")
        names = ["memset"] + [r[4] for r in rows if r[9] == "1"]
        for i, n in enumerate(names):
            out.write(f'==PROF== Profiling "{n}" - {i}: 0%....50%....100%\n')
        out.write('"ID","Process ID","Kernel Name","Metric Name","Metric Unit","Metric Value"\n')
        for i, n in enumerate(names):
            for m in metrics:
                value = passes if m == "profiler__replayer_passes" else f"1,{i:03d}"
                out.write(f'"{i}","1","{n}","{m}","","{value}"\n')
    sys.exit(code)
'''
PTXAS = r'''#!PYTHON -IS
import shutil, sys
a = sys.argv[1:]
if "--version" in a:
    print("release 13.0")
elif "broken" in a[-1]:
    sys.exit("ptxas fatal: broken")
else:
    shutil.copy(a[-1], a[a.index("-o") + 1])
'''


class Parts(unittest.TestCase):
    def labels(self, *rows):
        return validate_run.read_labels(HEAD + "".join("\t".join(map(str, r)) + "\n" for r in rows))

    def test_a_label_that_was_cut_is_left_out(self):
        text = HEAD + "a\tp\t0\t0\tk\t1,1,1\t32,1,1\t0\t1.5\t1\nb\tp\t0\t0\tk\t1,1"
        self.assertEqual([x.workload for x in validate_run.read_labels(text)], ["a"])

    def test_launches_of_the_driver_are_passed_over(self):
        labels = self.labels(*[("a", "p", 0, n, k, "1,1,1", "1,1,1", 0, 1, p) for n, (k, p) in
                               enumerate([("x", 1), ("y", 1), ("z", 0)])])
        pairs, extra, lacking = validate_run.join(labels, {2: ("y", {"c": "2"}), 0: ("memset", {}), 1: ("x", {"c": "1"})})
        self.assertEqual([(x.launch, v) for x, v in pairs], [(0, {"c": "1"}), (1, {"c": "2"})])
        self.assertEqual((extra, lacking), (1, 0))
        self.assertEqual(validate_run.join(labels, {0: ("x", {})})[1:], (0, 1))

    def test_most_passes(self):
        row = '"{}","k","profiler__replayer_passes","","{}"\n'
        text = '"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"\n' + row.format(0, 1) + row.format(1, 3)
        self.assertEqual(validate_run.read_passes(text), 3)
        self.assertIsNone(validate_run.read_passes("nothing"))

    def test_cg_goes_into_plain_global_loads_only(self):
        for before, after in (("ld.global.f32 %f1", "ld.global.cg.f32 %f1"),
                              ("@%p1 ld.global.nc.v2.u32", "@%p1 ld.global.cg.nc.v2.u32"),
                              ("ld.global.ca.u8", None), ("ld.volatile.global.u32", None), ("ld.shared.f32", None),
                              ("ld.global.relaxed.gpu.u32", None), ("st.global.f32", None), ("ld.param.u64", None)):
            self.assertEqual(validate_run.write_cg(before), after or before)

    def test_groups_need_one_pass_each(self):
        rooms = {"a": 2, "b": 3}

        def passes(names):
            return max(-(-sum(n[0] == unit for n in names) // room) for unit, room in rooms.items())
        made = validate_run.groups_of({"a": ["a1", "a2", "a3", "a4", "a5"], "b": ["b1", "b2"]}, passes)
        self.assertEqual(made, [["a1", "a2", "b1", "b2"], ["a3", "a4"], ["a5"]])

    def test_groups_are_split_where_parts_cannot_count_together(self):
        made = validate_run.groups_of({"a": ["a1", "a2"], "b": ["b1"]}, lambda names: 2 if len({n[0] for n in names}) > 1 else 1)
        self.assertEqual(made, [["a1", "a2"], ["b1"]])

    def test_groups_are_small_if_passes_are_not_told(self):
        made = validate_run.groups_of({"a": [f"a{i}" for i in range(6)]}, lambda names: None)
        self.assertEqual([len(g) for g in made], [4, 2])

    def test_counters_that_a_gpu_lacks_are_left_out(self):
        there = {c.rsplit(".", 1)[0] for c in validate_run.COUNTERS.values()} | {f"x{i}" for i in range(50)}
        there -= {"lts__t_sectors_srcunit_tex_op_read_lookup_hit", "dram__sectors_write"}
        units = validate_run.known_counters(validate_run.UNITS, there)
        self.assertIn("l2_tex_hits", units["l2"])
        self.assertNotIn("l2_tex_read_hits", units["l2"])
        self.assertEqual(units["dram"], ["dram_rd_sectors"])


class Runs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name, text in (("launch_gpu", LAUNCH_GPU.replace("HEAD", HEAD.strip().replace("\t", "\\t"))), ("ncu", NCU),
                           ("ptxas", PTXAS), ("nvidia-smi", "#!PYTHON -IS\nprint('A GPU, 580')\n")):
            path = self.folder / name
            path.write_text(text.replace("PYTHON", sys.executable), encoding="utf-8")
            path.chmod(0o755)

    def run_over(self, *names, config="default", options=(), **variables):
        for name in names:
            (self.folder / "w" / name).mkdir(parents=True)
            (self.folder / "w" / name / f"{name}.yaml").write_text("")
            (self.folder / "w" / name / f"{name}.ptx").write_text("ld.global.f32\n")
        env = {**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}", "CALLS": str(self.folder / "calls"), **variables}
        env.pop("NCU", None)
        done = subprocess.run([sys.executable, str(HW / "validate_run.py"), str(self.folder / "out"), config, "--program",
                               str(self.folder / "launch_gpu"), *options, str(self.folder / "w")],
                              env=env, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        text = (self.folder / "out" / f"validate-{config}.tsv").read_text(encoding="utf-8")
        self.calls = (self.folder / "calls").read_text(encoding="utf-8").splitlines()
        self.notes = [line for line in text.splitlines() if line.startswith("#")]
        return [line.split("\t") for line in text.splitlines() if not line.startswith("#")]

    def test_every_launch_has_every_counter_of_every_repeat(self):
        rows = self.run_over("one", "two", "other", options=["--repeats", "2", "--most", "1"])
        self.assertEqual(rows[0], validate_run.COLUMNS)
        counted = [r for r in rows if r[4] in validate_run.COUNTERS]
        self.assertEqual({(r[0], r[2], r[3]) for r in counted},
                         {(w, "0", r) for w in ("empty", "one", "two") for r in ("1", "2")})
        wanted = {n for names in validate_run.UNITS.values() for n in names}
        for where in {(r[0], r[3]) for r in counted}:
            self.assertEqual(sorted(r[4] for r in counted if (r[0], r[3]) == where), sorted(wanted))
        self.assertEqual(len([r for r in rows if r[4] == "us"]), 3 * 2 * 2)
        kept = json.loads((self.folder / "validate-groups.json").read_text(encoding="utf-8"))["groups"]
        self.assertEqual(len(kept), 4)  # eight counters of the L1, two at a time
        self.assertTrue(any("passes 1," in n for n in self.notes))

    def test_several_repeats_in_a_start(self):
        rows = self.run_over("a", options=["--repeats", "3", "--per-start", "2"])
        self.assertEqual([r[3] for r in rows if r[0] == "a" and r[4] == "inst" and r[2] == "1"], ["1", "2", "3"])

    def test_what_fails_is_said_and_the_others_go_on(self):
        rows = self.run_over("a", "bad", "broken", "z", "wrong", options=["--repeats", "1"])
        failed = {r[0]: r[5] for r in rows if r[4] == "FAILED"}
        self.assertEqual(set(failed), {"bad", "broken"})
        self.assertIn("ILLEGAL_ADDRESS", failed["bad"])
        self.assertEqual({r[0] for r in rows if r[4] == "inst"}, {"empty", "a", "wrong", "z"})
        self.assertIn(["wrong", "", "", "", "result", "WRONG: 1 of 1; c"], rows)

    def test_a_profiler_that_does_not_start_is_no_workloads_fault(self):
        rows = self.run_over("a", "b", options=["--repeats", "1"], NCU_FAILS="1")
        self.assertEqual([r for r in rows if r[4] == "FAILED"], [])
        self.assertEqual(len([r for r in rows if r[4] == "us"]), 6)
        self.assertTrue(any("given up" in n and "Failed to find metric" in n for n in self.notes))
        self.assertFalse((self.folder / "validate-groups.json").exists())

    def test_carve_outs_and_cache_operators(self):
        self.run_over("a", config="l1-small", options=["--repeats", "1"])
        self.assertTrue(all("--carveout 100" in c for c in self.calls))

    def test_nothing_begins_after_the_limit(self):
        rows = self.run_over("a", options=["--limit", "0"])
        self.assertEqual([r for r in rows if r[4] in validate_run.COUNTERS], [])
        self.assertTrue(any("left out" in n for n in self.notes))


if __name__ == "__main__":
    unittest.main()
