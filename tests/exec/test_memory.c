/* Memory: spaces, generic addresses, module variables, widths, vectors, atomics, faults. */
#include "vm.h"

/* ---- variables ---- */

static void module_variables(void **state) {
  (void)state;
  struct vm vm;
  vm_open(&vm, ".func work();\n"
               ".global .align 4 .u32 numbers[4] = {10, 20, 30, 40};\n"
               ".global .align 8 .u64 to_numbers = numbers+8;\n"
               ".global .align 8 .u64 table[3] = {generic(numbers), generic(to_numbers), work};\n"
               ".const .align 4 .f32 pi = 0f40490fdb;\n"
               ".const .align 8 .u64 deep = table;\n"
               ".global .align 1 .b8 bytes[7] = {1, 2, 255};\n"
               ".global .align 2 .s16 shorts[2][2] = {{-1, 2}, {3}};\n"
               ".func work() { ret; }\n" KERNEL(
                   "ld.global.u64 %d0, [to_numbers]; ld.global.u32 %r0, [%d0];\n"
                   "st.global.u32 [%d30], %r0;\n"
                   "ld.const.u64 %d1, [deep]; ld.global.u64 %d2, [%d1+8]; ld.u64 %d3, [%d2];\n"
                   "ld.u32 %r1, [%d3+4]; st.global.u32 [%d30+4], %r1;\n"
                   "ld.global.u64 %d4, [table+16]; mov.u64 %d5, work; setp.eq.u64 %p0, %d4, %d5;\n"
                   "selp.u32 %r2, 1, 0, %p0; st.global.u32 [%d30+8], %r2;\n"
                   "ld.const.f32 %f0, [pi]; st.global.f32 [%d30+12], %f0;\n"
                   "ld.global.u8 %r3, [bytes+2]; ld.global.s8 %r4, [bytes+2];\n"
                   "ld.global.u8 %r5, [bytes+6]; add.u32 %r5, %r5, %r3;\n"
                   "st.global.u32 [%d30+16], %r5; st.global.u32 [%d30+20], %r4;\n"
                   "ld.global.s16 %r6, [shorts]; ld.global.s16 %r7, [shorts+4];\n"
                   "st.global.u32 [%d30+24], %r6; st.global.u32 [%d30+28], %r7;\n"
                   "ld.global.u32 %r8, [numbers]; add.u32 %r8, %r8, 1;\n"
                   "st.global.u32 [numbers], %r8; st.global.u32 [%d30+32], %r8;"));
  for (uint32_t round = 1; round <= 2; round++) { /* variables outlive a launch */
    vm_run(&vm, "k", LINE(1, 1));
    static const uint32_t want[8] = {30, 40, 1, 0x40490fdb, 255, UINT32_MAX, UINT32_MAX, 3};
    EACH_WORD(i, 8) assert_out(i, want[i]);
    assert_out(8, 10 + round);
  }
  uint64_t addr, bytes;
  assert_int_equal(ptx_image_var(vm.image, "shorts", &addr, &bytes, &vm.err), WEIR_OK);
  assert_int_equal(bytes, 8);
  assert_int_equal(ptx_image_var(vm.image, "nothing", &addr, &bytes, &vm.err), WEIR_ENOENT);
  vm_close(&vm);
}

/* Static variables come first, each aligned; dynamic shared memory starts behind them. */
static void shared_placement(void **state) {
  (void)state;
  struct vm vm;
  vm_open(&vm, ".shared .align 1 .b8 one; .shared .align 16 .b8 wide[16];\n"
               ".extern .shared .align 16 .b8 dyn[];\n" KERNEL(
                   ".shared .align 8 .b8 own[24];\n"
                   "mov.u32 %r0, wide; mov.u32 %r1, own; mov.u32 %r2, dyn; mov.u32 %r3, one;\n"
                   "st.global.v4.u32 [%d30], {%r0, %r1, %r2, %r3};\n"
                   "st.shared.u8 [one], 17; st.shared.u64 [own+16], %d30;\n"
                   "mul.wide.u32 %d0, %r30, 4; cvt.u32.u64 %r4, %d0; add.u32 %r4, %r4, %r2;\n"
                   "st.shared.u32 [%r4], %r30; bar.sync 0;\n"
                   "ld.shared.u8 %r5, [one]; mov.u32 %r6, %dynamic_smem_size;\n"
                   "mov.u32 %r7, %total_smem_size; ld.shared.u32 %r8, [dyn+124];\n"
                   "st.global.v4.u32 [%d30+16], {%r5, %r6, %r7, %r8};"));
  struct vm_shape shape = LINE(2, 32);
  shape.dyn_shared = 128;
  vm_run(&vm, "k", shape);
  uint32_t wide = vm.out[0], own = vm.out[1], dyn = vm.out[2], one = vm.out[3];
  assert_int_equal(wide % 16, 0);
  assert_int_equal(own % 8, 0);
  assert_int_equal(dyn % 16, 0);
  assert_true(dyn >= wide + 16 && dyn >= own + 24 && dyn >= one + 1);
  assert_true(wide + 16 <= own || own + 24 <= wide);
  assert_out(4, 17);
  assert_out(5, 128);
  assert_out(6, dyn + 128);
  assert_out(7, 31);
  shape.dyn_shared = 124;
  expect_fault(&vm, "k", shape, "out of bounds: store of 4 bytes at shared address");
  vm_close(&vm);
}

/* Shared memory of a block starts as zero, whatever the block before left. */
static void shared_is_fresh(void **state) {
  (void)state;
  struct vm vm;
  vm_once(&vm,
          KERNEL(".shared .u32 s; ld.shared.u32 %r0, [s]; st.global.u32 [%d31], %r0;\n"
                 "bar.sync 0; st.shared.u32 [s], 5;"),
          LINE(4, 32));
  EACH_WORD(i, 128) assert_out(i, 0);
  vm_close(&vm);
}

/* ---- generic addresses ---- */

/* One instruction whose lanes go to global, shared and local memory and to the parameters. */
static void mixed_spaces(void **state) {
  (void)state;
  struct vm vm;
  vm_once(&vm,
          ".global .align 4 .b8 g[128]; .const .align 4 .u32 c[2] = {500, 600};\n" KERNEL(
              ".shared .align 4 .b8 s[128]; .local .align 4 .b8 l[8];\n"
              "mul.wide.u32 %d0, %r30, 4;\n"
              "mov.u64 %d1, g; cvta.global.u64 %d1, %d1; add.u64 %d1, %d1, %d0;\n"
              "mov.u64 %d2, s; cvta.shared.u64 %d2, %d2; add.u64 %d2, %d2, %d0;\n"
              "mov.u64 %d3, l; cvta.local.u64 %d3, %d3;\n"
              "and.b32 %r0, %r30, 3; mov.u64 %d4, %d1;\n"
              "setp.eq.u32 %p0, %r0, 1; @%p0 mov.u64 %d4, %d2;\n"
              "setp.eq.u32 %p1, %r0, 2; @%p1 mov.u64 %d4, %d3;\n"
              "add.u32 %r1, %r30, 1000; st.u32 [%d4], %r1;\n"
              "mov.u64 %d5, c; cvta.const.u64 %d5, %d5;\n"
              "setp.eq.u32 %p2, %r0, 3; @%p2 mov.u64 %d4, %d5;\n"
              "ld.u32 %r2, [%d4]; ld.global.u32 %r3, [%d1-0];\n"
              "isspacep.shared %p3, %d4; isspacep.local %p4, %d4; isspacep.global %p5, %d4;\n"
              "selp.u32 %r4, 10000, 0, %p3; add.u32 %r2, %r2, %r4;\n"
              "selp.u32 %r4, 20000, 0, %p4; add.u32 %r2, %r2, %r4;\n"
              "st.global.u32 [%d31], %r2;"),
          LINE(1, 32));
  EACH_WORD(i, 32) {
    static const uint32_t extra[4] = {0, 10000, 20000, 0};
    assert_out(i, i % 4 == 3 ? 500 : 1000 + i + extra[i % 4]);
  }
  assert_int_equal(vm.stats.mem[WEIR_SP_LOCAL][WEIR_DIR_STORE], 1);
  assert_int_equal(vm.stats.mem[WEIR_SP_SHARED][WEIR_DIR_STORE], 1);
  /* One warp instruction for each space. */
  assert_int_equal(vm.stats.mem_insns, 3 + 3 + 1 + 1);
  assert_int_equal(vm.stats.mem_insns,
                   vm.stats.by_class[WEIR_C_LOAD] + vm.stats.by_class[WEIR_C_STORE]);
  vm_close(&vm);
}

static void generic_parameters(void **state) {
  (void)state;
  struct vm vm;
  vm_once(&vm,
          KERNEL("mov.b64 %d0, out; cvta.param.u64 %d0, %d0; ld.u64 %d1, [%d0];\n"
                 "ld.param.u64 %d2, [out]; setp.eq.u64 %p0, %d1, %d2; selp.u32 %r0, 1, 2, %p0;\n"
                 "st.global.u32 [%d31], %r0;"),
          LINE(1, 32));
  EACH_WORD(i, 32) assert_out(i, 1);
  vm_close(&vm);
}

/* ---- widths and vectors ---- */

static void narrow_loads(void **state) {
  (void)state;
  struct vm vm;
  vm_open(
      &vm,
      ".global .align 8 .b8 g[16] = {0x80, 0xff, 0x7f, 0x01, 0xfe, 0xff, 0xff, 0xff, 9};\n" KERNEL(
          "ld.global.s8 %r0, [g]; ld.global.u8 %r1, [g]; ld.global.b8 %h0, [g+1];\n"
          "ld.global.s16 %r2, [g]; ld.global.u16 %r3, [g]; ld.global.s8 %d0, [g+1];\n"
          "ld.global.u16 %d1, [g+4]; ld.global.s32 %d2, [g+4]; ld.global.u32 %d3, [g+4];\n"
          "cvt.u32.u16 %r4, %h0; cvt.u32.u64 %r5, %d0; shr.u64 %d4, %d0, 32;\n"
          "cvt.u32.u64 %r6, %d4; cvt.u32.u64 %r7, %d1;\n"
          "shr.u64 %d2, %d2, 32; shr.u64 %d3, %d3, 32;\n"
          "cvt.u32.u64 %r8, %d2; cvt.u32.u64 %r9, %d3;\n"
          "st.global.v4.u32 [%d30], {%r0, %r1, %r2, %r3};\n"
          "st.global.v4.u32 [%d30+16], {%r4, %r5, %r6, %r7};\n"
          "st.global.v2.u32 [%d30+32], {%r8, %r9};\n"
          "mov.u32 %r10, 0x12345678; st.global.u8 [%d30+40], %r10;\n"
          "st.global.u16 [%d30+42], %r10; st.global.b8 [%d30+44], %h0;"));
  vm_run(&vm, "k", LINE(1, 1));
  static const uint32_t want[12] = {0xffffff80, 0x80,   0xffffff80, 0xff80, 0xff,       0xffffffff,
                                    0xffffffff, 0xfffe, 0xffffffff, 0,      0x56780078, 0xff};
  EACH_WORD(i, 12) assert_out(i, want[i]);
  vm_close(&vm);
}

static void vectors(void **state) {
  (void)state;
  struct vm vm;
  vm_open(&vm, ".global .align 16 .u32 g[8] = {1, 2, 3, 4, 5, 6, 7, 8};\n" KERNEL(
                   "mov.u32 %r0, 90; mov.u32 %r1, 91;\n"
                   "ld.global.v4.u32 {_, %r2, _, %r3}, [g];\n"
                   "ld.global.v2.u64 {%d0, %d1}, [g+16];\n"
                   "ld.global.v4.u8 {%r4, %r5, %r6, %r7}, [g+4];\n"
                   "ld.global.v2.s16 {%r8, %r9}, [g+28];\n"
                   "cvt.u32.u64 %r10, %d1; add.u32 %r4, %r4, %r5; add.u32 %r4, %r4, %r7;\n"
                   "st.global.v4.u32 [%d30], {%r2, %r3, %r10, %r4};\n"
                   "st.global.v2.f32 [%d30+16], {0f3f800000, 0f40000000};\n"
                   "st.global.v4.u16 [%d30+24], {%r8, %r9, %r2, %r3};\n"
                   "add.u32 %r0, %r0, %r1; st.global.u32 [%d30+32], %r0;"));
  vm_run(&vm, "k", LINE(1, 1));
  static const uint32_t want[9] = {2, 4, 7, 2, 0x3f800000, 0x40000000, 8, 0x40002, 181};
  EACH_WORD(i, 9) assert_out(i, want[i]);
  vm_close(&vm);
}

/* Lanes whose guard is false access nothing: neither bounds nor statistics count. */
static void guarded_accesses(void **state) {
  (void)state;
  struct vm vm;
  vm_once(&vm,
          KERNEL("setp.lt.u32 %p0, %r30, 3; mov.u64 %d0, 0; @%p0 mov.u64 %d0, %d31;\n"
                 "@%p0 st.global.u32 [%d0], 5; mov.u32 %r0, 1; @%p0 ld.global.u32 %r0, [%d0];\n"
                 "setp.gt.u32 %p1, %r30, 99; @%p1 ld.global.u32 %r0, [%d0];\n"
                 "@%p1 atom.global.add.u32 %r0, [%d0], 1; @%p1 st.shared.u32 [1000000], %r0;\n"
                 "st.global.u32 [%d31], %r0;"),
          LINE(1, 32));
  EACH_WORD(i, 32) assert_out(i, i < 3 ? 5 : 1);
  assert_int_equal(vm.stats.mem_lanes, 3 + 3 + 32);
  assert_int_equal(vm.stats.mem_insns, 3);
  vm_close(&vm);
}

/* ---- carry chains ---- */

static void carry_chain(void **state) {
  (void)state;
  struct vm vm;
  /* 128-bit sum and difference of values that differ per lane; the carry crosses diverged code. */
  vm_once(&vm,
          KERNEL("sub.u32 %r0, 0, %r30; mov.u32 %r1, -1; and.b32 %r5, %r30, 1;\n"
                 "setp.eq.u32 %p0, %r5, 1;\n"
                 "add.cc.u32 %r2, %r0, 5; @%p0 bra odd;\n"
                 "addc.cc.u32 %r3, %r1, 0; bra both;\n"
                 "odd: addc.cc.u32 %r3, %r1, 1;\n"
                 "both: addc.u32 %r4, 0, 0;\n"
                 "sub.cc.u32 %r6, %r30, 7; subc.cc.u32 %r7, 3, 0; subc.u32 %r8, 9, 0;\n"
                 "mad.lo.cc.u32 %r9, %r0, %r1, %r2; madc.hi.u32 %r10, %r0, %r1, %r3;\n"
                 "xor.b32 %r11, %r9, %r10; xor.b32 %r7, %r7, %r6;\n"
                 "mul.wide.u32 %d0, %r31, 20; add.u64 %d0, %d0, %d30;\n"
                 "st.global.u32 [%d0], %r2; st.global.u32 [%d0+4], %r3;\n"
                 "st.global.u32 [%d0+8], %r4; st.global.u32 [%d0+12], %r7;\n"
                 "st.global.u32 [%d0+16], %r11;"),
          LINE(1, 32));
  EACH_WORD(i, 32) {
    uint64_t low = (uint64_t)(0u - i) + 5, high = (uint64_t)0xffffffff + (i & 1) + (low >> 32);
    uint64_t diff = ((uint64_t)3 << 32 | i) - 7;
    uint64_t product = (uint64_t)(0u - i) * 0xffffffff;
    uint64_t sum = product + ((uint64_t)(uint32_t)high << 32 | (uint32_t)low);
    assert_out(5 * i, low);
    assert_out(5 * i + 1, high);
    assert_out(5 * i + 2, high >> 32);
    assert_out(5 * i + 3, (uint32_t)diff ^ (uint32_t)(diff >> 32));
    assert_out(5 * i + 4, (uint32_t)sum ^ (uint32_t)(sum >> 32));
  }
  vm_close(&vm);
}

/* ---- atomics ---- */

static void atomics(void **state) {
  (void)state;
  struct vm vm;
  vm_once(&vm,
          KERNEL(".shared .align 8 .b8 s[64];\n"
                 "mov.u64 %d0, s; cvta.shared.u64 %d1, %d0;\n"
                 "atom.shared.add.u32 %r0, [s], 1;\n" /* lanes in order */
                 "atom.max.s32 %r1, [%d1+4], %r30;\n"
                 "atom.shared.inc.u32 %r2, [s+8], 9;\n"
                 "cvt.u64.u32 %d2, %r30; shl.b64 %d2, %d2, 33; red.shared.add.u64 [s+16], %d2;\n"
                 "atom.add.u64 %d3, [%d1+24], 1;\n"
                 "atom.shared.cas.b32 %r3, [s+32], %r30, 100;\n"
                 "atom.shared.exch.b32 %r4, [s+36], %r30;\n"
                 "atom.shared.add.f32 %f0, [s+40], 0f3f800000;\n"
                 "atom.global.add.u32 _, [%d30+16384], %r30;\n"
                 "bar.sync 0;\n"
                 "ld.shared.u32 %r5, [s]; ld.shared.u32 %r6, [s+4]; ld.shared.u32 %r7, [s+8];\n"
                 "ld.shared.u64 %d4, [s+16]; shr.u64 %d4, %d4, 33; cvt.u32.u64 %r8, %d4;\n"
                 "ld.shared.u64 %d5, [s+24]; cvt.u32.u64 %r9, %d5; ld.shared.u32 %r10, [s+32];\n"
                 "ld.shared.u32 %r11, [s+36]; ld.shared.f32 %f1, [s+40];\n"
                 "cvt.rzi.u32.f32 %r12, %f1;\n"
                 "mul.wide.u32 %d6, %r31, 48; add.u64 %d6, %d6, %d30;\n"
                 "st.global.v4.u32 [%d6], {%r0, %r2, %r3, %r4};\n"
                 "st.global.v4.u32 [%d6+16], {%r5, %r6, %r7, %r8};\n"
                 "st.global.v4.u32 [%d6+32], {%r9, %r10, %r11, %r12};"),
          LINE(1, 64));
  EACH_WORD(i, 64) {
    assert_out(12 * i, i);
    assert_out(12 * i + 1, i % 10);
    assert_out(12 * i + 2, i == 0 ? 0 : 100);
    assert_out(12 * i + 3, i == 0 ? 0 : i - 1);
    static const uint32_t end[8] = {64, 63, 4, 2016, 64, 100, 63, 64};
    for (uint32_t k = 0; k < 8; k++)
      assert_out(12 * i + 4 + k, end[k]);
  }
  assert_out(4096, 2016);
  vm_close(&vm);
}

/* ---- faults that a launch file cannot produce ---- */

static void freed_memory(void **state) {
  (void)state;
  struct vm vm;
  vm_open(&vm,
          ".visible .entry k(.param .u64 out, .param .u64 p) { .reg .b64 %d<2>; .reg .b32 %r0;\n"
          "ld.param.u64 %d0, [p]; ld.param.u64 %d1, [out];\n"
          "ld.global.u32 %r0, [%d0]; st.global.u32 [%d1], %r0; ret; }\n");
  uint64_t a, b;
  assert_int_equal(ptx_mem_alloc(&vm.dev.mem, 1000, 0, "a", false, &a, &vm.err), WEIR_OK);
  assert_int_equal(ptx_mem_alloc(&vm.dev.mem, 1000, 0, "b", false, &b, &vm.err), WEIR_OK);
  memset(ptx_mem_host(&vm.dev.mem, a), 0xab, 1000);
  assert_int_equal(vm_try(&vm, "k", LINE(1, 1), &a, 1), WEIR_OK);
  assert_out(0, 0xabababab);
  assert_int_equal(ptx_mem_release(&vm.dev.mem, a, &vm.err), WEIR_OK);
  uint64_t in_gap = a + 996;
  assert_int_equal(vm_try(&vm, "k", LINE(1, 1), &in_gap, 1), WEIR_EFAULT);
  assert_non_null(strstr(vm.err.msg, "out of bounds: load of 4 bytes"));
  assert_non_null(strstr(vm.err.msg, "bytes before 'b'"));
  assert_int_equal(ptx_mem_release(&vm.dev.mem, a, &vm.err), WEIR_EINVAL);
  assert_int_equal(ptx_mem_alloc(&vm.dev.mem, 900, 0, "c", false, &a, &vm.err), WEIR_OK);
  assert_int_equal(vm_try(&vm, "k", LINE(1, 1), &a, 1), WEIR_OK);
  assert_out(0, 0); /* what is allocated anew is zero */
  vm_close(&vm);
}

/* Allocations lie in the lowest gap that holds them, whatever was freed before: compared with a
 * search over all gaps. */
static void first_fit(void **state) {
  (void)state;
  enum { MAX = 400, ROUNDS = 4000 };
  static struct { uint64_t base, bytes; } v[MAX];
  struct ptx_mem m;
  struct weir_err err;
  size_t n = 0;
  uint32_t x = 1;
  assert_int_equal(ptx_mem_init(&m, UINT64_C(1) << 32, &err), WEIR_OK);
  for (int round = 0; round < ROUNDS; round++) {
    x = x * 1664525 + 1013904223;
    if (n == MAX || (n > 0 && (x >> 24) % 3 == 0)) {
      size_t i = (x >> 8) % n;
      assert_int_equal(ptx_mem_release(&m, v[i].base, &err), WEIR_OK);
      memmove(&v[i], &v[i + 1], (--n - i) * sizeof v[0]);
      continue;
    }
    static const uint64_t sizes[] = {1, 512, 513, 4000, 100000, 3 << 20};
    uint64_t bytes = sizes[(x >> 8) % 6], align = bytes >= 1 << 20 ? 2 << 20 : 512, got;
    uint64_t at = PTX_GLOBAL_BASE;
    size_t i = 0;
    for (;; i++) {
      uint64_t start = (at + align - 1) & ~(align - 1);
      if (i == n || start + bytes + 512 <= v[i].base) {
        at = start;
        break;
      }
      at = v[i].base + v[i].bytes + 512;
    }
    assert_int_equal(ptx_mem_alloc(&m, bytes, 0, "x", false, &got, &err), WEIR_OK);
    assert_true(got == at);
    memmove(&v[i + 1], &v[i], (n++ - i) * sizeof v[0]);
    v[i].base = got;
    v[i].bytes = bytes;
  }
  ptx_mem_free_all(&m);
}

/* Lanes 0 and 31 lie within one allocation, the stride between them wraps round 2^64. */
static void wrapping_stride(void **state) {
  (void)state;
  struct vm vm;
  vm_open(&vm,
          KERNEL("mov.u64 %d0, 128; mov.u64 %d1, 0xef7bdef7bdef7bdf; mul.lo.u64 %d0, %d0, %d1;\n"
                 "cvt.u64.u32 %d2, %r30; mad.lo.u64 %d3, %d2, %d0, %d30;\n"
                 "ld.global.u32 %r0, [%d3]; st.global.u32 [%d31], %r0;"));
  /* 31 * 0xef7bdef7bdef7bdf = 1 modulo 2^64 */
  expect_fault(&vm, "k", LINE(1, 32), "out of bounds: load of 4 bytes");
  assert_non_null(strstr(vm.err.msg, "thread (1,0,0)"));
  vm_close(&vm);
}

/* Every lane of a warp is checked, the first that fails is named. */
static void lane_of_fault(void **state) {
  (void)state;
  struct vm vm;
  vm_open(&vm, KERNEL_AS("gather", "mul.lo.u32 %r0, %r30, 7919; rem.u32 %r0, %r0, 64;\n"
                                   "mul.wide.u32 %d0, %r0, 4; add.u64 %d0, %d0, %d30;\n"
                                   "setp.eq.u32 %p0, %r30, 77; @%p0 add.u64 %d0, %d0, 0x40000;\n"
                                   "ld.global.u32 %r1, [%d0];")
                   KERNEL_AS("shared",
                             ".shared .align 4 .b8 s[512]; setp.eq.u32 %p0, %r30, 77;\n"
                             "mov.u32 %r2, s; selp.u32 %r0, 510, 0, %p0; add.u32 %r0, %r0, %r2;\n"
                             "ld.shared.u32 %r1, [%r0];"));
  expect_fault(&vm, "gather", LINE(2, 96), "block (0,0,0), thread (77,0,0)");
  expect_fault(&vm, "shared", LINE(1, 96), "misaligned");
  assert_non_null(strstr(vm.err.msg, "thread (77,0,0)"));
  vm_close(&vm);
}

/* Host and device share pointers: the range lies at its device address, and memory of the host can
 * be added. One warp may then read both, here lane 0 the one, the others the other. */
static void same_addresses(void **state) {
  (void)state;
  struct vm vm;
  vm_defaults(&vm);
  vm.same_addresses = true;
  vm_open_as_is(
      &vm, KERNEL(".reg .pred %q<4>; ld.global.u64 %d0, [%d30]; ld.global.u64 %d1, [%d30+8];\n"
                  "setp.eq.u32 %p0, %r30, 0; selp.b64 %d2, %d0, %d1, %p0;\n"
                  "ld.global.u32 %r0, [%d2]; ld.u32 %r1, [%d2]; add.u32 %r0, %r0, %r1;\n"
                  "isspacep.global %q0, %d2; selp.u32 %r2, 1, 0, %q0; add.u32 %r0, %r0, %r2;\n"
                  "isspacep.shared %q0, %d2; selp.u32 %r2, 1000, 0, %q0; add.u32 %r0, %r0, %r2;\n"
                  "mul.wide.u32 %d3, %r30, 4; add.u64 %d3, %d3, %d30; st.u32 [%d3+16], %r0;"));
  assert_ptr_equal((void *)vm.out, (void *)(uintptr_t)vm.out_addr);
  static uint32_t mine = 21;
  uint64_t at = (uintptr_t)&mine, second;
  assert_int_equal(ptx_mem_alloc(&vm.dev.mem, 4, 0, "second", false, &second, &vm.err), WEIR_OK);
  *(uint32_t *)(void *)ptx_mem_host(&vm.dev.mem, second) = 4;
  uint64_t pointers[2] = {at, second};
  memcpy(vm.out, pointers, sizeof pointers);
  expect_fault(&vm, "k", LINE(1, 32), "out of bounds: load of 4 bytes at global address");
  assert_int_equal(ptx_mem_adopt(&vm.dev.mem, at, sizeof mine, "mine", false, &vm.err), WEIR_OK);
  vm_run(&vm, "k", LINE(1, 32));
  assert_out(4, 43);
  EACH_WORD(i, 31) assert_out(5 + i, 9);

  static const struct {
    uint64_t addr, bytes;
  } bad[] = {{PTX_SAME_BASE, 4096}, {PTX_SHARED_BASE, 1}, {UINT64_MAX - 3, 8}, {4096, 0}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    assert_int_equal(ptx_mem_adopt(&vm.dev.mem, bad[i].addr, bad[i].bytes, "bad", false, &vm.err),
                     WEIR_EINVAL);
  assert_int_equal(ptx_mem_adopt(&vm.dev.mem, at - 2, 3, "overlap", false, &vm.err), WEIR_EINVAL);
  assert_int_equal(ptx_mem_release(&vm.dev.mem, at, &vm.err), WEIR_OK);
  assert_int_equal(mine, 21);
  vm_close(&vm);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(module_variables),
      cmocka_unit_test(shared_placement),
      cmocka_unit_test(shared_is_fresh),
      cmocka_unit_test(mixed_spaces),
      cmocka_unit_test(generic_parameters),
      cmocka_unit_test(narrow_loads),
      cmocka_unit_test(vectors),
      cmocka_unit_test(guarded_accesses),
      cmocka_unit_test(carry_chain),
      cmocka_unit_test(atomics),
      cmocka_unit_test(freed_memory),
      cmocka_unit_test(first_fit),
      cmocka_unit_test(wrapping_stride),
      cmocka_unit_test(lane_of_fault),
      cmocka_unit_test(same_addresses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
