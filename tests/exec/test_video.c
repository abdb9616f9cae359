/* Video instructions and other operations on parts of a register; the ground truth has many more
 * cases. */
#include "vm.h"

#include <stdio.h>

/* The result of an instruction whose operands are %r0 (destination), %r1, %r2 and %r3. */
static uint32_t result(const char *insn, uint32_t a, uint32_t b, uint32_t c) {
  struct vm vm;
  char text[2048];
  static const char kernel[] =
      KERNEL("ld.param.u64 %d1, [out]; mov.u32 %r0, 0; ld.global.v2.u32 {%r1, %r2}, [%d1+8];\n"
             "ld.global.u32 %r3, [%d1+16];\n@\nst.global.u32 [%d1], %r0;");
  const char *gap = strchr(kernel, '@');
  snprintf(text, sizeof text, "%.*s%s%s", (int)(gap - kernel), kernel, insn, gap + 1);
  vm_open(&vm, text);
  vm.out[2] = a;
  vm.out[3] = b;
  vm.out[4] = c;
  vm_run(&vm, "k", LINE(1, 1));
  uint32_t r = vm.out[0];
  vm_close(&vm);
  return r;
}

#define CHECK(insn, a, b, c, want)                                                                 \
  do {                                                                                             \
    uint32_t got_ = result(insn, a, b, c), want_ = (want);                                         \
    if (got_ != want_) fail_msg("%s gives 0x%x, expected 0x%x", insn, got_, want_);                \
  } while (0)

static void parts(void **state) {
  (void)state;
  CHECK("vadd.u32.u32.u32 %r0, %r1.b3, %r2.h1;", 0x80000001, 0x7fff1234, 0, 0x80 + 0x7fff);
  CHECK("vadd.s32.s32.s32 %r0, %r1.b3, %r2.h1;", 0x80000001, 0x80001234, 0,
        (uint32_t)(-128 - 32768));
  CHECK("vsub.s32.u32.s32 %r0, %r1.b0, %r2.b1;", 0x000000ff, 0x0000ff00, 0, 256);
  CHECK("vabsdiff.u32.u32.u32 %r0, %r1, %r2;", 5, 9, 0, 4);
  CHECK("vmin.s32.u32.s32 %r0, %r1, %r2;", 0xffffffff, 0xffffffff, 0, 0xffffffff); /* -1 is less */
  CHECK("vmax.u32.u32.s32 %r0, %r1.h0, -3;", 7, 0, 0, 7);
}

static void saturation(void **state) {
  (void)state;
  CHECK("vadd.s32.u32.u32.sat %r0, %r1, %r2;", 0x7fffffff, 1, 0, 0x7fffffff);
  CHECK("vsub.u32.u32.u32.sat %r0, %r1, %r2;", 1, 2, 0, 0);
  CHECK("vadd.u32.u32.u32.sat %r0.b1, %r1, %r2, %r3;", 200, 100, 0x11223344, 0x1122ff44);
  CHECK("vadd.s32.s32.s32.sat %r0.h1, %r1, %r2, %r3;", 0xffff0000, 5, 0x11223344, 0x80003344);
}

static void then(void **state) {
  (void)state;
  CHECK("vadd.u32.u32.u32.add %r0, %r1, %r2, %r3;", 1, 2, 100, 103);
  CHECK("vadd.s32.s32.s32.min %r0, %r1, %r2, %r3;", 1, 2, 0xffffffff, 0xffffffff);
  CHECK("vadd.u32.u32.u32.max %r0, %r1, %r2, %r3;", 1, 2, 0xffffffff, 0xffffffff);
  CHECK("vset.u32.s32.lt.add %r0, %r1, %r2, %r3;", 1, 0xffffffff, 10, 10); /* 1 < -1 is false */
  CHECK("vset.u32.u32.lt %r0.h1, %r1, %r2, %r3;", 1, 2, 0xaaaabbbb, 0x0001bbbb);
  CHECK("vadd.u32.u32.u32 %r0.b2, %r1, %r2, %r3;", 1, 2, 0, 0x00030000);
}

static void shifts(void **state) {
  (void)state;
  CHECK("vshl.u32.u32.u32.clamp %r0, %r1, %r2;", 0xf, 40, 0, 0);
  CHECK("vshl.u32.u32.u32.wrap %r0, %r1, %r2;", 0xf, 36, 0, 0xf0);
  CHECK("vshl.u32.u32.u32.sat.clamp %r0, %r1, %r2;", 0xf, 30, 0, 0xffffffff);
  CHECK("vshl.s32.s32.u32.sat.clamp %r0, %r1, %r2;", 0xffffffff, 32, 0, 0x80000000);
  CHECK("vshr.s32.s32.u32.clamp %r0, %r1.b3, %r2;", 0x80000000, 3, 0, 0xfffffff0);
  CHECK("vshr.u32.u32.u32.clamp %r0, %r1, 32;", 0x80000000, 0, 0, 0);
}

static void multiply_add(void **state) {
  (void)state;
  CHECK("vmad.u32.u32.u32 %r0, %r1, %r2, %r3;", 3, 4, 5, 17);
  CHECK("vmad.u32.u32.u32.po.shr7 %r0, %r1, %r2, %r3;", 127, 1, 0, 1);
  CHECK("vmad.s32.s32.s32 %r0, -%r1, %r2, %r3;", 3, 4, 5, (uint32_t)-7);
  CHECK("vmad.s32.s32.s32 %r0, %r1, -%r2, %r3;", 3, 4, 5, (uint32_t)-7);
  CHECK("vmad.s32.s32.s32 %r0, -%r1, -%r2, %r3;", 3, 4, 5, 17);
  CHECK("vmad.s32.s32.s32 %r0, %r1, %r2, -%r3;", 3, 4, 5, 7);
  CHECK("vmad.s32.s32.s32.sat %r0, %r1, %r2, %r3;", 0x80000000, 2, 0, 0x80000000);
  CHECK("vmad.u32.u32.u32.sat.shr15 %r0, %r1.h0, %r2.h1, %r3;", 0xffff, 0xffff0000, 0, 0x1fffc);
}

static void several_at_once(void **state) {
  (void)state;
  CHECK("vadd2.u32.u32.u32 %r0, %r1, %r2, %r3;", 0x0001ffff, 0x00020001, 0, 0x00030000);
  CHECK("vadd2.u32.u32.u32.sat %r0, %r1, %r2, %r3;", 0x0001ffff, 0x00020001, 0, 0x0003ffff);
  CHECK("vadd2.u32.u32.u32 %r0.h1, %r1.h01, %r2.h22, %r3;", 0x00010002, 0x00030004, 0x5678,
        0x00065678);
  CHECK("vabsdiff4.u32.u32.u32.add %r0, %r1, %r2, %r3;", 0x01020304, 0x04030201, 100,
        100 + 3 + 1 + 1 + 3);
  CHECK("vabsdiff4.u32.u32.u32.add %r0.b30, %r1, %r2, %r3;", 0x01020304, 0x04030201, 100, 106);
  CHECK("vavrg4.u32.u32.u32 %r0, %r1, %r2, %r3;", 0x01020304, 0x02020202, 0, 0x02020303);
  CHECK("vmin4.s32.s32.s32 %r0.b3210, %r1.b3210, %r2.b7654, %r3;", 0x80017f00, 0x7f0000ff, 0,
        0x800000ff);
  CHECK("vset4.u32.u32.ge %r0, %r1, %r2, %r3;", 0x01020304, 0x02020202, 0, 0x00010101);
  CHECK("vset2.s32.s32.lt.add %r0, %r1, %r2, %r3;", 0xffff0000, 0x00000001, 5, 7);
}

static void packing(void **state) {
  (void)state;
  CHECK("cvt.pack.sat.u16.s32 %r0, %r1, %r2;", 70000, 0xffffffff, 0, 0xffff0000);
  CHECK("cvt.pack.sat.s16.s32 %r0, %r1, %r2;", 0xffff0000, 5, 0, 0x80000005);
  CHECK("cvt.pack.sat.u8.s32.b32 %r0, %r1, %r2, %r3;", 300, 7, 0x1234abcd, 0xabcdff07);
  CHECK("cvt.pack.sat.s4.s32.b32 %r0, %r1, %r2, %r3;", 9, (uint32_t)-9, 0x12, 0x1278);
  CHECK("cvt.pack.sat.u2.s32.b32 %r0, %r1, %r2, %r3;", 2, 1, 3, 0x39);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parts),   cmocka_unit_test(saturation),   cmocka_unit_test(then),
      cmocka_unit_test(shifts),  cmocka_unit_test(multiply_add), cmocka_unit_test(several_at_once),
      cmocka_unit_test(packing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
