#!/usr/bin/env python3
"""Tests of hw/micro_sass.py, on pieces of what cuobjdump showed of an H200's programs (results/h200.sass.txt.zst)."""
import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent / "hw"))
import micro_read  # noqa: E402
import micro_sass  # noqa: E402

# 4 iterations of 8 loads, of which those of one remain
MERGED = """\
Function : _Z4hitsILi4ELi0EEvyPKjPjPy
  /*00f0*/ ISETP.NE.AND P0, PT, R6, RZ, PT ;
  /*0100*/ @!P0 BAR.SYNC.DEFER_BLOCKING 0x0 ;
  /*0110*/ @!P0 CS2R R2, SR_CLOCKLO ;
  /*0120*/ LDG.E.STRONG.SM R10, desc[UR4][R4.64] ;
  /*0130*/ LDG.E.STRONG.SM R9, desc[UR4][R4.64+0x1000] ;
  /*0140*/ LDG.E.STRONG.SM R12, desc[UR4][R4.64+0x2000] ;
  /*0150*/ LDG.E.STRONG.SM R13, desc[UR4][R4.64+0x3000] ;
  /*0160*/ LDG.E.STRONG.SM R14, desc[UR4][R4.64+0x4000] ;
  /*0170*/ LDG.E.STRONG.SM R15, desc[UR4][R4.64+0x5000] ;
  /*0180*/ LDG.E.STRONG.SM R8, desc[UR4][R4.64+0x6000] ;
  /*0190*/ LDG.E.STRONG.SM R7, desc[UR4][R4.64+0x7000] ;
  /*01a0*/ VIADD R6, R6, 0x4 ;
  /*01b0*/ ISETP.NE.AND P0, PT, R6, 0x80, PT ;
  /*01c0*/ LOP3.LUT R11, R9, R10, R11, 0x96, !PT ;
  /*01d0*/ LOP3.LUT R11, R13, R12, R11, 0x96, !PT ;
  /*01e0*/ LOP3.LUT R11, R15, R14, R11, 0x96, !PT ;
  /*01f0*/ LOP3.LUT R11, R7, R8, R11, 0x96, !PT ;
  /*0200*/ LOP3.LUT R11, R9, R10, R11, 0x96, !PT ;
  /*0210*/ LOP3.LUT R11, R13, R12, R11, 0x96, !PT ;
  /*0220*/ LOP3.LUT R11, R15, R14, R11, 0x96, !PT ;
  /*0230*/ LOP3.LUT R11, R7, R8, R11, 0x96, !PT ;
  /*0240*/ LOP3.LUT R11, R9, R10, R11, 0x96, !PT ;
  /*0250*/ LOP3.LUT R11, R13, R12, R11, 0x96, !PT ;
  /*0260*/ LOP3.LUT R11, R15, R14, R11, 0x96, !PT ;
  /*0270*/ LOP3.LUT R11, R7, R8, R11, 0x96, !PT ;
  /*0280*/ LOP3.LUT R11, R9, R10, R11, 0x96, !PT ;
  /*0290*/ LOP3.LUT R11, R13, R12, R11, 0x96, !PT ;
  /*02a0*/ LOP3.LUT R11, R15, R14, R11, 0x96, !PT ;
  /*02b0*/ LOP3.LUT R11, R7, R8, R11, 0x96, !PT ;
  /*02c0*/ @P0 BRA 0xf0 ;
"""

# a counter of 64 bits, 8 loads for 8 iterations
CHAIN = """\
Function : _Z13walk_pointersILi0EEvyyiPy
  /*0110*/ CS2R R6, SR_CLOCKLO ;
  /*01b0*/ LDG.E.64.STRONG.SM R10, desc[UR4][R8.64] ;
  /*01c0*/ LDG.E.64.STRONG.SM R10, desc[UR4][R10.64] ;
  /*01d0*/ LDG.E.64.STRONG.SM R12, desc[UR4][R10.64] ;
  /*01e0*/ LDG.E.64.STRONG.SM R12, desc[UR4][R12.64] ;
  /*01f0*/ LDG.E.64.STRONG.SM R14, desc[UR4][R12.64] ;
  /*0200*/ LDG.E.64.STRONG.SM R14, desc[UR4][R14.64] ;
  /*0210*/ IADD3 R5, P2, R5, 0x8, RZ ;
  /*0220*/ IMAD.X R18, RZ, RZ, R18, P2 ;
  /*0230*/ ISETP.NE.U32.AND P2, PT, R5, RZ, PT ;
  /*0240*/ ISETP.NE.AND.EX P2, PT, R18, RZ, PT, P2 ;
  /*0250*/ LDG.E.64.STRONG.SM R16, desc[UR4][R14.64] ;
  /*0260*/ LDG.E.64.STRONG.SM R8, desc[UR4][R16.64] ;
  /*0270*/ @P2 BRA 0x1b0 ;
"""

# the first loop waits for other blocks, before the clock; then one store for 4 iterations, and one for each
DROPPED = """\
Function : _Z9store_allILi4ELi4EEvyyjjiiiPjPy
  /*01f0*/ LDG.E.STRONG.GPU R0, desc[UR4][R2.64] ;
  /*0200*/ YIELD ;
  /*0210*/ IADD3 R0, -R5, R0, RZ ;
  /*0220*/ ISETP.GE.AND P1, PT, R0, RZ, PT ;
  /*0230*/ @!P1 BRA 0x1f0 ;
  /*0290*/ CS2R R4, SR_CLOCKLO ;
  /*0360*/ VIADD R9, R7.reuse, 0x3 ;
  /*0370*/ IADD3 R6, R6, -0x4, RZ ;
  /*0380*/ VIADD R7, R7, 0x4 ;
  /*0390*/ STG.E desc[UR4][R2.64], R9 ;
  /*03a0*/ ISETP.NE.AND P1, PT, R6, RZ, PT ;
  /*03b0*/ @P1 BRA 0x360 ;
  /*03e0*/ VIADD R0, R0, 0xffffffff ;
  /*03f0*/ STG.E desc[UR4][R2.64], R7 ;
  /*0400*/ ISETP.NE.AND P1, PT, R0, RZ, PT ;
  /*0410*/ IADD3 R7, R7, 0x1, RZ ;
  /*0420*/ @P1 BRA 0x3e0 ;
"""

# one load before the loop
HOISTED = """\
Function : _Z12shared_loadsILi4EEvjjPjPy
  /*0290*/ CS2R R6, SR_CLOCKLO ;
  /*02a0*/ LDS R4, [R5] ;
  /*02b0*/ HFMA2.MMA R3, -RZ, RZ, 0, 0 ;
  /*02c0*/ IMAD.MOV.U32 R11, RZ, RZ, RZ ;
  /*02d0*/ VIADD R3, R3, 0x1 ;
  /*02e0*/ LOP3.LUT R11, R4, RZ, R11, 0xaa, !PT ;
  /*02f0*/ ISETP.NE.AND P0, PT, R3, 0x80, PT ;
  /*0300*/ @P0 BRA 0x2d0 ;
"""

# one load before the loop, and one in the loop that waits
HOISTED_LOADS = """\
Function : _Z10two_placesyyPjS_Py
  /*0240*/ LDG.E.STRONG.GPU R3, desc[UR4][R6.64] ;
  /*0250*/ YIELD ;
  /*0260*/ IMAD.IADD R3, R3, 0x1, -R12 ;
  /*0270*/ ISETP.GE.AND P1, PT, R3, RZ, PT ;
  /*0280*/ @!P1 BRA 0x240 ;
  /*0290*/ WARPSYNC.ALL ;
  /*02a0*/ BAR.SYNC.DEFER_BLOCKING 0x0 ;
  /*02b0*/ IMAD.MOV.U32 R3, RZ, RZ, RZ ;
  /*02c0*/ CS2R R6, SR_CLOCKLO ;
  /*02d0*/ LDG.E.STRONG.GPU R4, desc[UR4][R4.64] ;
  /*02e0*/ HFMA2.MMA R13, -RZ, RZ, 0, 0 ;
  /*02f0*/ VIADD R3, R3, 0x8 ;
  /*0300*/ LOP3.LUT R13, R4, RZ, R13, 0xaa, !PT ;
  /*0310*/ ISETP.NE.AND P1, PT, R3, 0x20, PT ;
  /*0320*/ @P1 BRA 0x2f0 ;
"""

# a counter in a uniform register
UNIFORM = """\
Function : _Z7loop_ofifPfPy
  /*0040*/ CS2R R4, SR_CLOCKLO ;
  /*00a0*/ UIADD3 UR4, UR4, 0x1, URZ ;
  /*00b0*/ FFMA R11, R11, R0, R0 ;
  /*00c0*/ ISETP.LE.AND P1, PT, R8, UR4, PT ;
  /*00d0*/ @!P1 BRA 0xa0 ;
"""


class MicroSass(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def one(self, text):
        found = micro_sass.check(text)
        self.assertEqual(len(found), 1, found)
        return found[0]

    def test_loads_that_were_merged_are_found_with_their_factor(self):
        f = self.one(MERGED)
        self.assertEqual((f.benchmark, f.params, f.factor), ("l1_rate", {"width": 4, "kind": "ca"}, 4))
        self.assertIn("8 for 4 iterations, 32 should be there", f.message)

    def test_loads_that_are_all_there_are_no_finding(self):
        self.assertEqual(micro_sass.check(MERGED.replace("VIADD R6, R6, 0x4", "VIADD R6, R6, 0x1")), [])
        self.assertEqual(micro_sass.check(CHAIN), [])
        self.assertEqual(micro_sass.check(UNIFORM), [])

    def test_one_load_less_is_found(self):
        gone = CHAIN.replace("LDG.E.64.STRONG.SM R16, desc[UR4][R14.64]", "NOP")
        self.assertEqual([(f.benchmark, f.factor) for f in micro_sass.check(gone)],
                         [("chase", None), ("chase_large", None), ("chase_short", None), ("tlb", None)])

    def test_a_factor_needs_whole_passes_through_the_loop(self):
        f = self.one(MERGED.replace("VIADD R6, R6, 0x4", "VIADD R6, R6, 0x3"))  # 128 iterations are not a multiple of 3
        self.assertIsNone(f.factor)

    def test_a_counter_that_is_not_found_gives_no_factor(self):
        f = self.one(MERGED.replace("LDG.E.STRONG.SM R7", "NOP").replace("VIADD R6, R6, 0x4", "IMAD R6, R6, R1, R2"))
        self.assertIsNone(f.factor)
        self.assertIn("not known", f.message)

    def test_stores_that_were_dropped_are_found_in_the_loop_that_is_timed(self):
        f = self.one(DROPPED)
        self.assertEqual((f.benchmark, f.params), ("stores", {"width": 4, "pattern": "one"}))
        self.assertIn("STG: 1 for 4", f.message)

    def test_loads_before_the_loop_do_not_count(self):
        self.assertIn("none in a loop", self.one(HOISTED).message)
        f = self.one(HOISTED_LOADS)
        self.assertEqual((f.benchmark, f.params), ("slice_pairs", {}))
        self.assertIn("none in a loop", f.message)

    def test_readings_of_the_clock_of_another_kind_are_found(self):
        read = "".join(f"  /*{16 * i:04x}*/ CS2R.32 R{i}, SR_CLOCKLO ;\n" for i in range(48))
        head = "Function : _Z6recordILi1EEvyfPjPf\n"
        self.assertEqual(micro_sass.check(head + read), [])
        f = self.one(head + read.replace("CS2R.32 R0,", "S2UR UR0,"))
        self.assertEqual((f.benchmark, f.params), ("scheduler", {"mode": "chain"}))

    def test_an_operation_without_a_rule_is_found(self):
        f = self.one("Function : _Z4rateI6op_newEvPKNT_4typeEPS2_Py\n  /*0000*/ EXIT ;\n")
        self.assertIn("no rule", f.message)

    def test_every_operation_has_a_rule(self):
        text = (pathlib.Path(__file__).parent / "hw/micro/arith.inc").read_text(encoding="utf-8")
        names = [line[3:].split(",")[0] for line in text.splitlines() if line.startswith("OP(")]
        self.assertTrue(names)
        self.assertEqual([n for n in names if n not in micro_sass.STEPS], [])

    def test_rows_are_corrected_or_left_out(self):
        table = {"l1_rate": [micro_read.Row({"width": w, "kind": "ca"}, m, v) for w, m, v in
                             ((4, "cyc_per_load.min", .5), (8, "cyc_per_load.min", 1.0), (4, "other", 3.0))],
                 "slice_pairs": [micro_read.Row({"offset": 0}, "loads_per_cyc.med", 5.0),
                                 micro_read.Row({"when": "before"}, "sm_mhz", 1980.0)]}
        said = micro_read.mend(table, micro_sass.check(MERGED + HOISTED_LOADS + DROPPED))
        self.assertEqual([r.value for r in table["l1_rate"]], [2, 1, 3])
        self.assertEqual([r.metric for r in table["slice_pairs"]], ["sm_mhz"])
        self.assertEqual([line.split(":")[0] for line in said], ["1 rows times 4", "1 rows left out"])

    def test_the_machine_code_is_looked_for_beside_the_table(self):
        folder = pathlib.Path(self.folder.name)
        (folder / "m.tsv").write_text("l1_rate\tkind=ca width=4 warps=1 p=1\tcyc_per_load.min\t0.5\n", encoding="utf-8")
        self.assertIsNone(micro_read.code_of(str(folder / "m.tsv")))
        (folder / "m.sass.txt").write_text(MERGED, encoding="utf-8")
        with contextlib.redirect_stdout(io.StringIO()) as out:
            sys.argv = ["micro_read.py", str(folder / "m.tsv"), "l1_rate"]
            micro_read.main()
        self.assertEqual(out.getvalue().splitlines()[-1].split(), ["ca", "p=1", "2"])


if __name__ == "__main__":
    unittest.main()
