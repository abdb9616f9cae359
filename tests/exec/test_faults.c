/* What ends a launch is told by a kind as well as by a message. */
#include "vm.h"

static void expect_kind(const char *body, enum ptx_fault_kind kind, const char *part) {
  struct vm vm;
  vm_open(&vm, body);
  expect_fault(&vm, "k", LINE(1, 64), part);
  assert_int_equal(vm.fault, kind);
  vm_close(&vm);
}

static void accesses(void **state) {
  (void)state;
  expect_kind(KERNEL("ld.global.u32 %r1, [%d31+16777216]; st.global.u32 [%d31], %r1;"),
              PTX_F_BOUNDS, "out of bounds");
  expect_kind(KERNEL("mov.u64 %d1, 8; st.global.u32 [%d1], 1;"), PTX_F_BOUNDS, "null pointer");
  expect_kind(KERNEL("st.global.u32 [%d31+2], 1;"), PTX_F_ALIGN, "misaligned");
  expect_kind(".const .b32 c[4];\n" KERNEL("mov.u64 %d1, c; cvta.const.u64 %d1, %d1;\n"
                                           "st.u32 [%d1], 1;"),
              PTX_F_READONLY, "read-only memory");
}

static void control(void **state) {
  (void)state;
  expect_kind(KERNEL("trap;"), PTX_F_TRAP, "trap");
  expect_kind(KERNEL("brkpt;"), PTX_F_TRAP, "trap");
  expect_kind(KERNEL("t: .branchtargets a, b; brx.idx %r31, t; a: b:"), PTX_F_BRANCH,
              "branch index 2");
  expect_kind(KERNEL("mov.u32 %r1, 40; bar.sync 1, %r1;"), PTX_F_BARRIER, "barrier 1 for 40");
  expect_kind(KERNEL("bar.warp.sync 1;"), PTX_F_MEMBERS,
              "lane 1 is not in the member mask 0x00000001");
  expect_kind(KERNEL("setp.lt.u32 %p1, %r31, 32; @%p1 bar.sync 1; @!%p1 bar.sync 2;"), PTX_F_HANG,
              "deadlock");
  expect_kind(".func f() { call f; ret; }\n" KERNEL("call f;"), PTX_F_STACK, "stack overflow");
}

static void limit(void **state) {
  (void)state;
  struct vm vm;
  vm_defaults(&vm);
  vm.cfg.max_instructions = 100;
  vm_open_as_is(&vm, KERNEL("again: bra again;"));
  assert_int_equal(vm_try(&vm, "k", LINE(1, 32), NULL, 0), WEIR_ELIMIT);
  assert_int_equal(vm.fault, PTX_F_LIMIT);
  vm_close(&vm);
}

static void none(void **state) {
  (void)state;
  struct vm vm;
  vm_once(&vm, KERNEL("st.global.u32 [%d31], 1;"), LINE(1, 32));
  assert_int_equal(vm.fault, PTX_F_NONE);
  vm_close(&vm);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(accesses),
      cmocka_unit_test(control),
      cmocka_unit_test(limit),
      cmocka_unit_test(none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
