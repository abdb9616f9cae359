#!/usr/bin/env python3
"""Tests sass.py on machine code as cuobjdump and nvdisasm write it."""
import unittest

import sass

CUOBJDUMP = """== some/loop.ptx

	code for sm_90
		Function : loop
	.headerflags	@"EF_CUDA_TEXMODE_UNIFIED EF_CUDA_64BIT_ADDRESS EF_CUDA_SM90 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM90)"
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0010*/                   ULDC.64 UR4, c[0x0][0x208] ;
        /*0020*/              @!P0 BRA 0xb0 ;
        /*0030*/                   LDG.E R4, desc[UR4][R2.64] ;
        /*0040*/                   LDG.E.64.CONSTANT R6, desc[UR4][R2.64+0x8] ;
        /*0050*/               @P1 LDG.E.128.STRONG.GPU R8, desc[UR4][R2.64+0x10] ;
        /*0060*/                   IADD3 R2, P2, R2, 0x20, RZ ;
        /*0070*/                   FADD R0, R0, R4 ;
        /*0080*/                   FADD R0, R0, R7 ;
        /*0090*/                   ISETP.NE.AND P0, PT, R2, R5, PT ;
        /*00a0*/               @P0 BRA 0x30 ;
        /*00b0*/                   STG.E desc[UR4][R12.64], R0 ;
        /*00c0*/                   EXIT ;
        /*00d0*/                   BRA 0xd0;
        /*00e0*/                   NOP;
		..........
"""
NVDISASM = """== some/loop.ptx
	.section	.text.loop,"ax",@progbits
.text.loop:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0010*/                   BSSY B0, `(.L_x_0) ;
        /*0020*/              @!P0 BRA `(.L_x_1) ;
.L_x_2:
        /*0030*/                   LDS.U8 R4, [R2] ;
        /*0040*/                   SHFL.DOWN PT, R4, R4, 0x1, 0x1f ;
        /*0050*/                   ATOMG.E.ADD.STRONG.GPU PT, R9, desc[UR4][R6.64], R4 ;
        /*0060*/                   BAR.SYNC.DEFER_BLOCKING 0x0 ;
        /*0070*/               @P0 BRA `(.L_x_2) ;
.L_x_1:
        /*0080*/                   BSYNC B0 ;
.L_x_0:
        /*0090*/                   CALL.REL.NOINC `($loop$far) ;
        /*00a0*/                   EXIT ;
.L_x_3:
        /*00b0*/                   BRA `(.L_x_3);
"""
PTX = """
.visible .entry loop(
	.param .u64 loop_param_0
)
{
	ld.param.u64 	%rd1, [loop_param_0];
	@%p1 bra 	$L__BB0_3;
$L__BB0_2:
	.pragma "nounroll";
	ld.global.f32 	%f1, [%rd1];
	st.global.f32 	[%rd2], %f1;
	@%p2 bra 	$L__BB0_2;
$L__BB0_3:
	ret;
}
"""


class Reading(unittest.TestCase):
    def setUp(self):
        (self.insns, self.labels), = sass.sass_functions(CUOBJDUMP).values()
        loops = [{"loads": [7], "stores": []}]
        self.found = sass.describe(self.insns, self.labels, [0, 0, 0, 7, 7, 7] + [0] * 9, loops)

    def test_all_instructions_are_found(self):
        self.assertEqual(len(self.insns), 15)
        self.assertEqual(self.found["instructions"], 13)  # the rest is never reached

    def test_blocks_follow_branches(self):
        self.assertEqual([(b["at"], b["n"], b["next"]) for b in self.found["blocks"]],
                         [(0, 3, [2, 1]), (3, 8, [1, 2]), (11, 2, [])])

    def test_accesses_have_their_kind_and_width(self):
        mem = self.found["blocks"][1]["mem"]
        self.assertEqual([m[:7] for m in mem],
                         [[0, "LDG.E", "load", "global", 4, "", ""],
                          [1, "LDG.E.64.CONSTANT", "load", "global", 8, "CONSTANT", ""],
                          [2, "LDG.E.128.STRONG.GPU", "load", "global", 16, "STRONG.GPU", "@P1"]])
        self.assertEqual(self.found["blocks"][2]["mem"][0][2], "store")

    def test_first_use_is_of_any_register_of_the_result(self):
        mem = self.found["blocks"][1]["mem"]
        self.assertEqual([m[9] for m in mem], [4, 4, -1])

    def test_loop_counts_copies_of_a_line(self):
        loop, = self.found["loops"]
        self.assertEqual((loop["blocks"], loop["copies"], loop["of"]), ([1], {"7": 3}, 0))
        self.assertEqual(self.found["ptx_loops"][0]["unroll"], 3)

    def test_use_beyond_a_branch_takes_the_shortest_way(self):
        i = sass.sass_functions(CUOBJDUMP.replace("FADD R0, R0, R4 ;", "FADD R0, R0, R5 ;")
                                .replace("desc[UR4][R12.64], R0", "desc[UR4][R12.64], R4"))
        (insns, labels), = i.values()
        mem = sass.describe(insns, labels, [], [])["blocks"][1]["mem"]
        self.assertEqual(mem[0][9], 8)


class Forms(unittest.TestCase):
    def test_labels_of_nvdisasm(self):
        (insns, labels), = sass.sass_functions(NVDISASM).values()
        found = sass.describe(insns, labels, [], [])
        loop, = found["loops"]
        block = found["blocks"][loop["head"]]
        self.assertEqual(block["next"], [1, 2])
        self.assertEqual([m[2:5] for m in block["mem"]], [["load", "shared", 1], ["atomic", "global", 4]])
        self.assertEqual([o[1] for o in block["other"]], ["warp", "barrier", "branch"])
        self.assertEqual(block["mem"][0][9], 1)

    def test_schedule_of_newer_targets_is_no_operand(self):
        row = "== f\n Function : k\n /*0010*/  @P0 LDG.E R0, desc[UR4][R8.64]   &req={1,0} &wr=0x1  ?trans7;\n"
        (insns, _), = sass.sass_functions(row).values()
        self.assertEqual((insns[0].guard, insns[0].opcode, insns[0].operands), ("@P0", "LDG.E", "R0, desc[UR4][R8.64]"))

    def test_results_are_told_from_sources(self):
        for text, dst, src in (("IADD3 R4, P0, R2, R3, RZ", ["R4"], ["R2", "R3"]),
                               ("SHFL.DOWN PT, R5, R4, 0x1, 0x1f", ["R5"], ["R4"]),
                               ("ISETP.GE.AND P0, PT, R0, R7, PT", [], ["R0", "R7"]),
                               ("LOP3.LUT P0, RZ, R2, 0x1, RZ, 0xc0, !PT", [], ["R2"]),
                               ("IMAD.WIDE R2, R5, R6, R8", ["R2", "R3"], ["R5", "R6", "R8", "R9"]),
                               ("DFMA R2, R4, R6, R2", ["R2", "R3"], ["R4", "R5", "R6", "R7", "R2", "R3"]),
                               ("STG.E.128 desc[UR4][R2.64+0x10], R8", [], ["UR4", "R2", "R3", "R8", "R9", "R10", "R11"]),
                               ("RED.E.ADD.STRONG.GPU desc[UR4][R2.64], R5", [], ["UR4", "R2", "R3", "R5"])):
            word, operands = text.split(" ", 1)
            i = sass.Insn(0, None, word, operands)
            self.assertEqual((i.dst, i.src), (dst, src), text)

    def test_loops_of_ptx(self):
        loop, = sass.ptx_loops(sass.ptx_kernels(PTX)["loop"])
        self.assertEqual((loop["loads"], loop["stores"], loop["instructions"], loop["nounroll"]), ([10], [11], 3, True))

    def test_what_ptxas_counts(self):
        said = ("# ptxas 13\n== a.ptx\nptxas info    : Compiling entry function 'k' for 'sm_90'\n"
                "ptxas info    : Function properties for k\n    8 bytes stack frame, 4 bytes spill stores, 0 bytes spill loads\n"
                "ptxas info    : Used 32 registers, used 0 barriers\n")
        self.assertEqual(sass.read_registers(said)[0]["a.ptx", "k"],
                         {"stack": 8, "spill_stores": 4, "spill_loads": 0, "registers": 32})


if __name__ == "__main__":
    unittest.main()
