/* mbarrier objects and copies from global to shared memory. */
#include "vm.h"

#include <stdio.h>

#define BLOCK 96
/* Addresses of this thread's and another one's word in shared memory, and of the barrier. */
#define PLACES                                                                                     \
  ".shared .align 16 .b8 sm[2048]; .shared .align 8 .b64 meet;\n"                                  \
  "mov.u64 %d1, sm; mad.wide.u32 %d2, %r30, 4, %d1; mov.u64 %d3, meet;\n"                          \
  "add.u32 %r1, %r30, 50; rem.u32 %r1, %r1, %r29; mad.wide.u32 %d4, %r1, 4, %d1;\n"                \
  "setp.eq.u32 %p1, %r30, 0;\n"
#define INIT(n) "@%p1 mbarrier.init.shared.b64 [%d3], " n "; bar.sync 0;\n"

/* Everyone writes, arrives, waits and reads what another warp wrote; several phases. */
static void phases(void **state) {
  (void)state;
  static const char *const waits[] = {"mbarrier.test_wait.shared.b64 %p2, [%d3], %d5;",
                                      "mbarrier.try_wait.shared.b64 %p2, [meet], %d5;",
                                      "mbarrier.test_wait.parity.shared.b64 %p2, [%d3], %r5;"};
  for (size_t k = 0; k < 3; k++) {
    struct vm vm;
    char text[4096];
    static const char kernel[] =
        KERNEL(PLACES INIT("96") "mov.u32 %r4, 0; mov.u32 %r6, 0;\n"
                                 "again: and.b32 %r5, %r4, 1; mad.lo.u32 %r7, %r4, 1000, %r30; "
                                 "st.shared.u32 [%d2], %r7;\n"
                                 "mbarrier.arrive.shared.b64 %d5, [%d3];\n"
                                 "wait: @ @!%p2 bra wait;\n"
                                 "ld.shared.u32 %r8, [%d4]; add.u32 %r6, %r6, %r8; bar.sync 0;\n"
                                 "add.u32 %r4, %r4, 1; setp.lt.u32 %p3, %r4, 5; @%p3 bra again;\n"
                                 "st.global.u32 [%d31], %r6;");
    const char *gap = strstr(kernel, "@ @!");
    snprintf(text, sizeof text, "%.*s%s%s", (int)(gap - kernel), kernel, waits[k], gap + 1);
    vm_once(&vm, text, LINE(2, BLOCK));
    EACH_WORD(i, 2 * BLOCK) assert_out(i, 10000 + 5 * ((i % BLOCK + 50) % BLOCK));
    vm_close(&vm);
  }
}

/* Arrivals for several, threads that leave, bytes that are awaited, and what a state tells. */
static void arrivals(void **state) {
  (void)state;
  struct vm vm;
  vm_once(
      &vm,
      KERNEL(PLACES INIT(
          "10") "@!%p1 bra end;\n"
                "mbarrier.arrive.noComplete.shared.b64 %d5, [%d3], 4;\n" /* 6 left */
                "mbarrier.pending_count.b64 %r2, %d5;\n"
                "mbarrier.arrive_drop.shared.b64 %d6, [%d3];\n" /* 5 left, 9 in the next phase */
                "mbarrier.arrive.expect_tx.shared.b64 _, [%d3], 32;\n" /* 4 left, 32 bytes */
                "mbarrier.arrive.shared.b64 %d7, [%d3], 4;\n"
                "mbarrier.test_wait.shared.b64 %p2, [%d3], %d7; selp.u32 %r3, 1, 0, %p2;\n"
                "mbarrier.complete_tx.shared::cta.b64 [%d3], 24;\n"
                "mbarrier.test_wait.shared.b64 %p2, [%d3], %d7; selp.u32 %r4, 1, 0, %p2;\n"
                "mbarrier.complete_tx.relaxed.cta.shared.b64 [%d3], 8;\n"
                "mbarrier.test_wait.shared.b64 %p2, [%d3], %d7; selp.u32 %r5, 1, 0, %p2;\n"
                "mbarrier.test_wait.parity.shared.b64 %p2, [%d3], 1; selp.u32 %r6, 1, 0, %p2;\n"
                "cvta.shared.u64 %d8, %d3; mbarrier.arrive.b64 %d9, [%d8];\n"
                "mbarrier.pending_count.b64 %r7, %d9;\n"
                "mbarrier.inval.shared.b64 [%d3]; ld.shared.b64 %d9, [%d3]; cvt.u32.u64 %r8, %d9;\n"
                "st.global.v4.u32 [%d30], {%r2, %r3, %r4, %r5};\n"
                "st.global.v4.u32 [%d30+16], {%r6, %r7, %r8, 7};\n"
                "end:"),
      LINE(1, 32));
  static const uint32_t want[] = {10, 0, 0, 1, 0, 9, 0, 7};
  EACH_WORD(i, 8) assert_out(i, want[i]);
  vm_close(&vm);
}

/* A waiting thread whose barrier nobody completes. */
static void never(void **state) {
  (void)state;
  struct vm vm;
  vm_open(&vm, KERNEL(PLACES INIT(
                   "97") "mbarrier.arrive.shared.b64 %d5, [%d3];\n"
                         "wait: mbarrier.test_wait.shared.b64 %p2, [%d3], %d5; @!%p2 bra wait;"));
  expect_fault(&vm, "k", LINE(1, BLOCK), "no progress");
  assert_int_equal(vm.fault, PTX_F_HANG);
  vm_close(&vm);
}

static void copies(void **state) {
  (void)state;
  struct vm vm;
  vm_open(&vm, ".global .align 16 .u32 from[512];\n" KERNEL(
                   ".shared .align 16 .b8 sm[2048]; mov.u32 %r1, sm; shl.b32 %r2, %r30, 4;\n"
                   "add.u32 %r1, %r1, %r2; mov.u64 %d1, from; mul.wide.u32 %d2, %r30, 16;\n"
                   "add.u64 %d2, %d2, %d1; st.shared.v4.u32 [%r1], {9, 9, 9, 9};\n"
                   "and.b32 %r3, %r30, 3; setp.eq.u32 %p1, %r3, 1; shl.b32 %r4, %r3, 2;\n"
                   "setp.eq.u32 %p2, %r3, 0; @%p2 mov.u64 %d2, 0;\n" /* nothing is read there */
                   "cp.async.ca.shared.global [%r1], [%d2], 16, %r4;\n"
                   "cp.async.commit_group; cp.async.wait_group 0;\n"
                   "ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [%r1]; mul.wide.u32 %d3, %r30, 16;\n"
                   "add.u64 %d3, %d3, %d30; st.global.v4.u32 [%d3], {%r5, %r6, %r7, %r8};\n"
                   "@%p2 mov.u64 %d2, %d1;\n"
                   "cp.async.ca.shared.global [%r1+4], [%d2+8], 4;\n"
                   "cp.async.ca.shared::cta.global [%r1+8], [%d2], 8, %p1; cp.async.wait_all;\n"
                   "ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [%r1];\n"
                   "st.global.v4.u32 [%d3+4096], {%r5, %r6, %r7, %r8};"));
  uint64_t addr, bytes;
  assert_int_equal(ptx_image_var(vm.image, "from", &addr, &bytes, NULL), WEIR_OK);
  uint32_t *from = (uint32_t *)(void *)ptx_mem_host(&vm.dev.mem, addr);
  EACH_WORD(i, 512) from[i] = 1000 + i;
  vm_run(&vm, "k", LINE(1, 64));
  EACH_WORD(t, 64) EACH_WORD(k, 4) {
    uint32_t source = t % 4 == 0 ? 0 : 4 * t;
    assert_out(4 * t + k, k < t % 4 ? 1000 + 4 * t + k : 0);
    if (k == 1) assert_out(1024 + 4 * t + k, 1000 + source + 2);
    if (k > 1) assert_out(1024 + 4 * t + k, t % 4 == 1 ? 0 : 1000 + source + k - 2);
  }
  /* Three copies of two warps; that lanes copy different numbers of bytes makes no further access.
   */
  assert_int_equal(vm.stats.mem[WEIR_SP_GLOBAL][WEIR_DIR_LOAD], 6);
  vm_close(&vm);
}

static void bad_copies(void **state) {
  (void)state;
  static const char *const bodies[] = {
      KERNEL(".shared .align 16 .b8 sm[64]; mov.u32 %r1, sm; add.u32 %r1, %r1, 64;\n"
             "cp.async.ca.shared.global [%r1], [%d30], 16;"),
      KERNEL(".shared .align 16 .b8 sm[64]; mov.u32 %r1, sm; add.u32 %r1, %r1, 4;\n"
             "cp.async.ca.shared.global [%r1], [%d30], 8;"),
      KERNEL(".shared .align 16 .b8 sm[64]; mov.u32 %r1, sm; add.u32 %r1, %r1, 0; mov.u64 %d1, 0;\n"
             "cp.async.ca.shared.global [%r1], [%d1], 8;"),
  };
  static const char *const said[] = {"out of bounds: store of 16 bytes at shared address 0x40",
                                     "misaligned: store of 8 bytes at shared address 0x4",
                                     "null pointer"};
  for (size_t i = 0; i < 3; i++) {
    struct vm vm;
    vm_open(&vm, bodies[i]);
    expect_fault(&vm, "k", LINE(1, 32), said[i]);
    vm_close(&vm);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(phases), cmocka_unit_test(arrivals),   cmocka_unit_test(never),
      cmocka_unit_test(copies), cmocka_unit_test(bad_copies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
