/* Launches: shapes of blocks and grids, statistics by hand, waves, progress, clocks, limits. */
#include "base/stat_io.h"
#include "vm.h"

/* ---- shapes ---- */

/* Every thread of every block runs once and knows where it is. */
static void shapes(void **state) {
  (void)state;
  static const struct vm_shape shape[] = {
      {{1, 1, 1}, {1, 1, 1}, 0},    {{2, 1, 1}, {31, 1, 1}, 0},   {{3, 1, 1}, {33, 1, 1}, 0},
      {{2, 1, 1}, {1023, 1, 1}, 0}, {{1, 1, 1}, {1024, 1, 1}, 0}, {{2, 3, 4}, {5, 3, 2}, 0},
      {{1, 7, 1}, {2, 4, 64}, 0},   {{1, 1, 5}, {1, 1, 64}, 0},   {{2, 2, 2}, {1, 17, 3}, 0},
  };
  struct vm vm;
  vm_open(&vm,
          KERNEL("mov.u32 %r0, %tid.y; mov.u32 %r1, %tid.z; mov.u32 %r2, %ntid.y;\n"
                 "mov.u32 %r3, %ntid.z; mov.u32 %r4, %ctaid.y; mov.u32 %r5, %ctaid.z;\n"
                 "mov.u32 %r6, %nctaid.x; mov.u32 %r7, %nctaid.y; mov.u32 %r8, %nctaid.z;\n"
                 "mad.lo.u32 %r9, %r1, %r2, %r0; mad.lo.u32 %r9, %r9, %r29, %r30;\n"   /* thread */
                 "mad.lo.u32 %r10, %r5, %r7, %r4; mad.lo.u32 %r10, %r10, %r6, %r28;\n" /* block */
                 "mul.lo.u32 %r11, %r29, %r2; mul.lo.u32 %r11, %r11, %r3;\n" /* threads a block */
                 "mad.lo.u32 %r12, %r10, %r11, %r9; mul.wide.u32 %d0, %r12, 4;\n"
                 "add.u64 %d0, %d0, %d30;\n"
                 "mov.u32 %r13, %laneid; mov.u32 %r14, %warpid; mad.lo.u32 %r13, %r14, 32, %r13;\n"
                 "mul.lo.u32 %r14, %r6, %r7; mul.lo.u32 %r14, %r14, %r8;\n"
                 "mad.lo.u32 %r13, %r14, 2000, %r13;\n"
                 "atom.global.add.u32 %r15, [%d0], %r13;"));
  for (size_t k = 0; k < sizeof shape / sizeof *shape; k++) {
    const uint32_t *g = shape[k].grid, *b = shape[k].block;
    uint32_t blocks = g[0] * g[1] * g[2], threads = b[0] * b[1] * b[2];
    memset(vm.out, 0, 4 * VM_OUT_WORDS);
    vm_run(&vm, "k", shape[k]);
    EACH_WORD(i, blocks * threads) assert_out(i, blocks * 2000 + i % threads);
    assert_out(blocks * threads, 0);
    uint64_t insns = KERNEL_HEAD + 25 + 1, warps = (threads + 31) / 32;
    assert_int_equal(vm.stats.warp_insns, insns * blocks * warps);
    assert_int_equal(vm.stats.thread_insns, insns * blocks * threads);
  }
  vm_close(&vm);
}

static void lane_masks(void **state) {
  (void)state;
  struct vm vm;
  vm_once(
      &vm,
      KERNEL("mov.u32 %r0, %lanemask_eq; mov.u32 %r1, %lanemask_lt; mov.u32 %r2, %lanemask_le;\n"
             "mov.u32 %r3, %lanemask_gt; mov.u32 %r4, %lanemask_ge; activemask.b32 %r5;\n"
             "xor.b32 %r6, %r1, %r3; xor.b32 %r6, %r6, %r0; xor.b32 %r7, %r2, %r4;\n"
             "shl.b32 %r10, %r31, 4; cvt.u64.u32 %d0, %r10; add.u64 %d0, %d0, %d30;\n"
             "st.global.v4.u32 [%d0], {%r6, %r7, %r1, %r5};"),
      LINE(1, 40));
  EACH_WORD(i, 40) {
    uint32_t eq = 1u << (i % 32);
    assert_out(4 * i, UINT32_MAX);
    assert_out(4 * i + 1, UINT32_MAX ^ eq);
    assert_out(4 * i + 2, eq - 1);
    assert_out(4 * i + 3, i < 32 ? UINT32_MAX : 0xff);
  }
  vm_close(&vm);
}

static void bad_shapes(void **state) {
  (void)state;
  struct vm vm;
  vm_open(&vm, KERNEL(""));
  static const struct vm_shape bad[] = {{{0, 1, 1}, {32, 1, 1}, 0},
                                        {{1, 1, 1}, {32, 0, 1}, 0},
                                        {{1, 1, 1}, {1025, 1, 1}, 0},
                                        {{1, 1, 1}, {32, 32, 2}, 0},
                                        {{1, 1, 1}, {32, 1, 1}, 300000}};
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
    assert_int_equal(vm_try(&vm, "k", bad[k], NULL, 0), WEIR_EINVAL);
  vm_close(&vm);
}

/* ---- statistics ---- */

static void counts_by_hand(void **state) {
  (void)state;
  struct vm vm;
  vm_once(&vm,
          KERNEL("setp.lt.u32 %p0, %r30, 8;\n"                      /* 1 x 32 a warp */
                 "@%p0 bra skip;\n"                                 /* 1: diverges in warp 0 only */
                 "shl.b32 %r0, %r30, 2;\n"                          /* 24 lanes, then 32 */
                 "cvt.u64.u32 %d0, %r0;\n"                          /* 24, 32 */
                 "skip: mul.wide.u32 %d1, %r30, 128;\n"             /* 32 */
                 "add.u64 %d1, %d1, %d30;\n"                        /* 32 */
                 "ld.global.u32 %r1, [%d1];\n"                      /* 32 lines, 32 sectors */
                 "@!%p0 st.global.u64 [%d1], %d0;\n"                /* 24, 32 lines */
                 "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%d30];\n" /* one line, one sector */
                 "bar.sync 0;"),
          LINE(3, 64));
  const struct weir_func_stats *s = &vm.stats;
  uint64_t each = KERNEL_HEAD + 10 + 1, blocks = 3;
  assert_int_equal(s->warp_insns, blocks * 2 * each);
  /* Lanes whose guard is false do not count: those that skip, those that do not store or branch. */
  assert_int_equal(s->thread_insns, blocks * (2 * 32 * each - 8 - 8 - 8 - 24 - 32));
  assert_int_equal(s->branches, blocks * 2);
  assert_int_equal(s->divergent_branches, blocks);
  assert_int_equal(s->barriers, blocks * 2);
  assert_int_equal(s->mem_insns, blocks * 2 * 3);
  assert_int_equal(s->mem_lanes, blocks * (32 + 24 + 32 + 32 + 32 + 32));
  assert_int_equal(s->mem[WEIR_SP_GLOBAL][WEIR_DIR_LOAD], blocks * 4);
  assert_int_equal(s->mem[WEIR_SP_GLOBAL][WEIR_DIR_STORE], blocks * 2);
  assert_int_equal(s->global_requests[WEIR_DIR_LOAD], blocks * (2 * 32 + 2));
  assert_int_equal(s->global_sectors[WEIR_DIR_LOAD], blocks * (2 * 32 + 2));
  assert_int_equal(s->global_requests[WEIR_DIR_STORE], blocks * (24 + 32));
  assert_int_equal(s->by_class[WEIR_C_LOAD], blocks * 4);
  assert_int_equal(s->by_class[WEIR_C_BARRIER], blocks * 2);
  assert_int_equal(weir_stat_verify(weir_func_stat_table, weir_func_checks, s, &vm.err), WEIR_OK);
  vm_close(&vm);
}

/* ---- waves ---- */

/* Blocks take numbers until none is left; what a number costs is longer than a quantum. */
static const char queue[] = ".global .u32 next;\n" KERNEL(
    "again: atom.global.add.u32 %r0, [next], 1; setp.ge.u32 %p0, %r0, 200; @%p0 bra done;\n"
    "mov.u32 %r1, 0;\n"
    "work: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 100; @%p1 bra work;\n"
    "mul.wide.u32 %d0, %r0, 4; add.u64 %d0, %d0, %d30; add.u32 %r2, %r28, 1;\n"
    "st.global.u32 [%d0], %r2; bra again;\n"
    "done:");

static void work_queue(void **state) {
  (void)state;
  struct vm vm;
  vm_once(&vm, queue, LINE(16, 1));
  assert_true(vm.was_interleaved);
  uint32_t share[17] = {0};
  EACH_WORD(i, 200) {
    assert_in_range(vm.out[i], 1, 16);
    share[vm.out[i]]++;
  }
  for (uint32_t b = 1; b <= 16; b++)
    assert_in_range(share[b], 10, 15);
  uint64_t insns = vm.stats.warp_insns;
  vm_close(&vm);
  /* The order is fixed: again the same. */
  vm_once(&vm, queue, LINE(16, 1));
  EACH_WORD(i, 200) share[vm.out[i]]--;
  for (uint32_t b = 1; b <= 16; b++)
    assert_int_equal(share[b], 0);
  assert_int_equal(vm.stats.warp_insns, insns);
  vm_close(&vm);
}

/* Block 0 waits for a flag that the last block sets. */
static const char flag[] = ".global .u32 flag;\n" KERNEL(
    "mov.u32 %r0, %nctaid.x; sub.u32 %r0, %r0, 1; setp.eq.u32 %p0, %r28, %r0; @%p0 bra set;\n"
    "setp.ne.u32 %p1, %r28, 0; @%p1 bra done;\n"
    "wait: ld.acquire.gpu.global.u32 %r1, [flag]; setp.eq.u32 %p2, %r1, 0; @%p2 bra wait;\n"
    "st.global.u32 [%d31], %r1; bra done;\n"
    "set: st.release.gpu.global.u32 [flag], 42;\n"
    "done:");

static void flag_between_blocks(void **state) {
  (void)state;
  struct vm vm;
  for (uint32_t blocks = 2; blocks <= 600; blocks += 299) { /* the last is far outside of a wave */
    vm_defaults(&vm);
    vm.cfg.deadlock_quanta = 20;
    vm_open_as_is(&vm, flag);
    vm_run(&vm, "k", LINE(blocks, 32));
    EACH_WORD(i, 64) assert_out(i, i < 32 ? 42 : 0);
    assert_true(vm.was_interleaved);
    vm_close(&vm);
  }
  vm_defaults(&vm);
  vm.cfg.wave = 1;
  vm.cfg.quantum = 3;
  vm.cfg.deadlock_quanta = 20;
  vm_open_as_is(&vm, flag);
  vm_run(&vm, "k", LINE(5, 64));
  EACH_WORD(i, 64) assert_out(i, 42);
  vm_close(&vm);
}

static void flag_never_set(void **state) {
  (void)state;
  struct vm vm;
  vm_defaults(&vm);
  vm.cfg.deadlock_quanta = 20;
  vm_open_as_is(&vm, ".global .u32 flag;\n" KERNEL(
                         "wait: ld.volatile.global.u32 %r1, [flag]; setp.eq.u32 %p2, %r1, 0;\n"
                         "@%p2 bra wait;"));
  expect_fault(&vm, "k", LINE(200, 32), "no progress");
  assert_null(strstr(vm.err.msg, "ran together"));
  /* Far more blocks than could run together. */
  vm.cfg.deadlock_quanta = vm.cfg.quantum = 1;
  vm.cfg.wave_memory = 256 << 20;
  expect_fault(&vm, "k", ((struct vm_shape){{2000000000, 1, 1}, {1024, 1, 1}, 0}),
               " of 2000000000 blocks ran together");
  vm_close(&vm);
}

/* Where blocks cannot feel one another, waves and quanta change nothing. */
static void ordinary_kernel(void **state) {
  (void)state;
  struct vm vm;
  struct weir_func_stats first = {0};
  static const int64_t settings[][2] = {{160, 256}, {1, 1}, {7, 13}};
  for (size_t k = 0; k < 3; k++) {
    vm_defaults(&vm);
    vm.cfg.wave = settings[k][0];
    vm.cfg.quantum = settings[k][1];
    vm_open_as_is(&vm, KERNEL(".shared .align 4 .b8 s[512];\n"
                              "mov.u64 %d0, s; mul.wide.u32 %d1, %r30, 4; add.u64 %d1, %d1, %d0;\n"
                              "st.shared.u32 [%d1], %r31; bar.sync 0; xor.b32 %r0, %r30, 37;\n"
                              "mul.wide.u32 %d1, %r0, 4; add.u64 %d1, %d1, %d0;\n"
                              "ld.shared.u32 %r1, [%d1]; rem.u32 %r2, %r30, 9;\n"
                              "again: add.u32 %r1, %r1, %r2; sub.u32 %r2, %r2, 1;\n"
                              "setp.gt.s32 %p0, %r2, 0; @%p0 bra again;\n"
                              "st.global.u32 [%d31], %r1; red.global.add.u32 [%d30+131072], 1;"));
    vm_run(&vm, "k", LINE(30, 128));
    assert_false(vm.was_interleaved);
    EACH_WORD(i, 30 * 128) {
      uint32_t r = i % 128 % 9;
      assert_out(i, (i & ~127u) + (i % 128 ^ 37) + (r == 0 ? 0 : r * (r + 1) / 2));
    }
    assert_out(32768, 30 * 128);
    if (k == 0) first = vm.stats;
    assert_memory_equal(&first, &vm.stats, sizeof first);
    vm_close(&vm);
  }
}

/* ---- clocks and limits ---- */

static void clocks(void **state) {
  (void)state;
  struct vm vm;
  for (uint32_t factor = 1; factor <= 8; factor *= 8) {
    vm_defaults(&vm);
    vm.cfg.clock_factor = factor;
    vm_open_as_is(&vm, KERNEL("mov.u64 %d0, %clock64; mov.u32 %r0, %clock;\n"
                              "add.u32 %r9, %r9, 1; add.u32 %r9, %r9, 1;\n"
                              "mov.u32 %r1, %clock; mov.u64 %d1, %globaltimer;\n"
                              "mov.u64 %d2, %clock64; mov.u64 %d3, %globaltimer;\n"
                              "sub.u32 %r2, %r1, %r0; setp.lt.u64 %p0, %d0, %d2;\n"
                              "setp.le.u64 %p1, %d1, %d3; selp.u32 %r3, 1000, 0, %p0;\n"
                              "selp.u32 %r4, 2000, 0, %p1; add.u32 %r2, %r2, %r3;\n"
                              "add.u32 %r2, %r2, %r4; st.global.u32 [%d31], %r2;"));
    vm_run(&vm, "k", LINE(2, 64));
    EACH_WORD(i, 128) assert_out(i, 3000 + 3 * factor);
    vm_close(&vm);
  }
}

/* A conversion reads the clock, too; at 300 x 1000 two bytes of it are not all. */
static void converted_clocks(void **state) {
  (void)state;
  struct vm vm;
  vm_defaults(&vm);
  vm.cfg.clock_factor = 1000;
  vm_open_as_is(&vm,
                KERNEL("mov.u32 %r9, 0;\n"
                       "more: add.u32 %r9, %r9, 1; setp.lt.u32 %p0, %r9, 100;\n"
                       "@%p0 bra more;\n"
                       "mov.u64 %d0, %clock64; cvt.u64.u32 %d1, %clock;\n"
                       "cvt.u32.u64 %r1, %clock64; cvt.u32.u16 %r2, %clock;\n"
                       "cvt.s32.s16 %r3, %clock; sub.u64 %d1, %d1, %d0; cvt.u32.u64 %r4, %d1;\n"
                       "cvt.u32.u64 %r0, %d0; sub.u32 %r1, %r1, %r0;\n"
                       "add.u32 %r5, %r0, 3000; and.b32 %r5, %r5, 65535;\n"
                       "sub.u32 %r2, %r2, %r5;\n" /* 0 */
                       "add.u32 %r5, %r0, 4000; shl.b32 %r5, %r5, 16; shr.s32 %r5, %r5, 16;\n"
                       "sub.u32 %r3, %r3, %r5;\n" /* 0 */
                       "mad.lo.u32 %r4, %r4, 10, %r1; add.u32 %r4, %r4, %r2;\n"
                       "add.u32 %r4, %r4, %r3; st.global.u32 [%d31], %r4;"));
  vm_run(&vm, "k", LINE(2, 64));
  EACH_WORD(i, 128) assert_out(i, 10 * 1000 + 2000);
  vm_close(&vm);
}

static void instruction_limit(void **state) {
  (void)state;
  struct vm vm;
  vm_open(&vm, KERNEL("add.u32 %r0, %r0, 1; st.global.u32 [%d31], %r0;"));
  uint64_t all = 4 * 2 * (KERNEL_HEAD + 3);
  vm.cfg.max_instructions = (int64_t)all;
  vm_run(&vm, "k", LINE(4, 64));
  assert_int_equal(vm.stats.warp_insns, all);
  vm.cfg.max_instructions = (int64_t)all - 1;
  assert_int_equal(vm_try(&vm, "k", LINE(4, 64), NULL, 0), WEIR_ELIMIT);
  assert_non_null(strstr(vm.err.msg, "block (3,0,0), thread (32,0,0)"));
  vm_close(&vm);
}

/* What nvcc 13 makes of grid.sync(): block 0 adds what turns the top bit when all have come. */
#define GRID_SYNC(n)                                                                               \
  "bar.sync 0; setp.ne.u32 %p1, %r30, 0; @%p1 bra met" n ";\n"                                     \
  "mov.u32 %r1, %envreg1; mov.u32 %r2, %envreg2; mov.b64 %d1, {%r2, %r1};\n"                       \
  "setp.ne.s64 %p2, %d1, 0; @%p2 bra there" n "; trap;\n"                                          \
  "there" n ": mov.u32 %r3, %nctaid.x; sub.u32 %r3, 0x80000001, %r3;\n"                            \
  "setp.eq.u32 %p2, %r28, 0; selp.b32 %r3, %r3, 1, %p2;\n"                                         \
  "atom.add.release.gpu.u32 %r4, [%d1+4], %r3;\n"                                                  \
  "spin" n ": ld.acquire.gpu.u32 %r5, [%d1+4]; xor.b32 %r5, %r5, %r4;\n"                           \
  "setp.gt.s32 %p2, %r5, -1; @%p2 bra spin" n ";\n"                                                \
  "met" n ": bar.sync 0;\n"

static void cooperative(void **state) {
  (void)state;
  struct vm vm;
  vm_open(&vm, KERNEL("st.global.u32 [%d31], %r31;\n" GRID_SYNC(
                   "1") "mov.u32 %r6, %nctaid.x; mul.lo.u32 %r6, %r6, %r29;\n" /* all threads */
                        "add.u32 %r7, %r31, %r29; rem.u32 %r7, %r7, %r6;\n"    /* next block */
                        "mul.wide.u32 %d2, %r7, 4; add.u64 %d2, %d2, %d30; ld.global.u32 %r8, "
                        "[%d2];\n" GRID_SYNC(
                            "2") "mad.lo.u32 %r8, %r8, 1000, %r31; st.global.u32 [%d31], %r8;"));
  expect_fault(&vm, "k", LINE(4, 64), "trap"); /* an ordinary launch has no place to meet */
  vm.cooperative = true;
  enum { BLOCKS = 500 }; /* more than exec.wave */
  for (int again = 0; again < 2; again++) {
    vm_run(&vm, "k", LINE(BLOCKS, 64));
    assert_true(vm.was_interleaved);
    EACH_WORD(i, BLOCKS * 64) assert_out(i, (i + 64) % (BLOCKS * 64) * 1000 + i);
  }
  vm.cfg.wave_memory = 1048576;
  vm.cfg.wave = 8;
  assert_int_equal(vm_try(&vm, "k", LINE(BLOCKS, 64), NULL, 0), WEIR_EINVAL);
  assert_non_null(strstr(vm.err.msg, "a cooperative launch of 500 blocks"));
  struct ptx_program *prog;
  assert_int_equal(ptx_program_build(vm.image, "k", &vm.cfg, &prog, &vm.err), WEIR_OK);
  struct ptx_launch launch = {.block = {64, 1, 1}};
  uint64_t most = ptx_most_blocks(&vm.dev, prog, &launch);
  ptx_program_free(prog);
  assert_in_range(most, 8, BLOCKS - 1);
  vm_run(&vm, "k", LINE((uint32_t)most, 64));
  assert_int_equal(vm_try(&vm, "k", LINE((uint32_t)most + 1, 64), NULL, 0), WEIR_EINVAL);
  vm_close(&vm);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shapes),         cmocka_unit_test(lane_masks),
      cmocka_unit_test(bad_shapes),     cmocka_unit_test(counts_by_hand),
      cmocka_unit_test(work_queue),     cmocka_unit_test(flag_between_blocks),
      cmocka_unit_test(flag_never_set), cmocka_unit_test(ordinary_kernel),
      cmocka_unit_test(clocks),         cmocka_unit_test(converted_clocks),
      cmocka_unit_test(cooperative),    cmocka_unit_test(instruction_limit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
