/* Calls: parameters, results, divergence, recursion, local memory of activations. */
#include "vm.h"

#include <stdio.h>

static void several_parameters(void **state) {
  (void)state;
  struct vm vm;
  vm_once(&vm,
          ".func (.param .b32 r, .param .b64 s) mix(.param .b32 a, .param .b64 b, .param .b8 c,\n"
          "                                         .param .f32 d) {\n"
          "  .reg .b32 %x<6>; .reg .b64 %y<4>; .reg .f32 %z;\n"
          "  ld.param.u32 %x0, [a]; ld.param.u64 %y0, [b]; ld.param.s8 %x1, [c];\n"
          "  ld.param.f32 %z, [d];\n"
          "  cvt.rzi.u32.f32 %x2, %z;\n"
          "  add.u32 %x3, %x0, %x1; add.u32 %x3, %x3, %x2;\n"
          "  st.param.b32 [r], %x3;\n"
          "  shr.u64 %y1, %y0, 32; st.param.b64 [s], %y1;\n"
          "  ret;\n}\n" KERNEL("{ .param .b32 a; .param .b64 b; .param .b8 c; .param .f32 d;\n"
                               "  .param .b32 r; .param .b64 s;\n"
                               "  mov.b64 %d0, {%r31, %r30};\n"
                               "  st.param.b32 [a], %r31; st.param.b64 [b], %d0;\n"
                               "  st.param.b8 [c], -3; st.param.f32 [d], 0f42280000;\n"
                               "  call (r, s), mix, (a, b, c, d);\n"
                               "  ld.param.b32 %r0, [r]; ld.param.b64 %d1, [s]; }\n"
                               "cvt.u32.u64 %r1, %d1;\n"
                               "mad.lo.u32 %r2, %r1, 1000, %r0;\n"
                               "st.global.u32 [%d31], %r2;"),
          LINE(2, 64));
  EACH_WORD(i, 128) assert_out(i, (i % 64) * 1000 + i - 3 + 42);
  vm_close(&vm);
}

static void struct_parameters(void **state) {
  (void)state;
  struct vm vm;
  vm_once(&vm,
          ".func (.param .align 8 .b8 r[24]) turn(.param .align 8 .b8 s[24]) {\n"
          "  .reg .b32 %x<4>; .reg .b64 %y<4>;\n"
          "  ld.param.u32 %x0, [s]; ld.param.u64 %y0, [s+8]; ld.param.v2.u32 {%x1, %x2}, [s+16];\n"
          "  st.param.u32 [r], %x2; st.param.u64 [r+8], %y0; st.param.v2.u32 [r+16], {%x1, %x0};\n"
          "  ret;\n}\n" KERNEL("{ .param .align 8 .b8 s[24]; .param .align 8 .b8 r[24];\n"
                               "  add.u32 %r1, %r31, 100; add.u32 %r2, %r31, 200;\n"
                               "  cvt.u64.u32 %d0, %r30;\n"
                               "  st.param.u32 [s], %r31; st.param.u64 [s+8], %d0;\n"
                               "  st.param.u32 [s+16], %r1; st.param.u32 [s+20], %r2;\n"
                               "  call (r), turn, (s);\n"
                               "  ld.param.u32 %r3, [r]; ld.param.u64 %d1, [r+8];\n"
                               "  ld.param.u32 %r4, [r+16]; ld.param.u32 %r5, [r+20]; }\n"
                               "mul.wide.u32 %d2, %r31, 16; add.u64 %d2, %d2, %d30;\n"
                               "cvt.u32.u64 %r6, %d1;\n"
                               "st.global.v4.u32 [%d2], {%r3, %r6, %r4, %r5};"),
          LINE(1, 40));
  EACH_WORD(i, 40) {
    assert_out(4 * i, i + 200);
    assert_out(4 * i + 1, i);
    assert_out(4 * i + 2, i + 100);
    assert_out(4 * i + 3, i);
  }
  vm_close(&vm);
}

static void register_parameters(void **state) {
  (void)state;
  struct vm vm;
  vm_once(&vm,
          ".func (.reg .b32 %sum, .reg .pred %both) add_if(.reg .b32 %a, .reg .pred %take,\n"
          "                                               .reg .b64 %wide) {\n"
          "  .reg .b32 %x; .reg .pred %q;\n"
          "  cvt.u32.u64 %x, %wide;\n"
          "  mov.u32 %sum, %a;\n"
          "  @%take add.u32 %sum, %sum, %x;\n"
          "  setp.gt.u32 %q, %a, 16;\n"
          "  and.pred %both, %q, %take;\n"
          "  ret;\n}\n" KERNEL("and.b32 %r0, %r31, 1; setp.eq.u32 %p0, %r0, 1;\n"
                               "mov.u64 %d0, 1000;\n"
                               "call (%r1, %p1), add_if, (%r31, %p0, %d0);\n"
                               "selp.u32 %r2, 5000, 0, %p1; add.u32 %r1, %r1, %r2;\n"
                               "st.global.u32 [%d31], %r1;"),
          LINE(1, 64));
  EACH_WORD(i, 64) assert_out(i, i + (i % 2 ? 1000 : 0) + (i % 2 && i > 16 ? 5000 : 0));
  vm_close(&vm);
}

static void guarded_call(void **state) {
  (void)state;
  struct vm vm;
  vm_once(&vm,
          ".func (.param .b32 r) twice(.param .b32 a) {\n"
          "  .reg .b32 %x; ld.param.u32 %x, [a]; add.u32 %x, %x, %x; st.param.b32 [r], %x; ret;\n"
          "}\n" KERNEL("rem.u32 %r0, %r31, 3; setp.eq.u32 %p0, %r0, 0;\n"
                       "mov.u32 %r1, 7;\n"
                       "{ .param .b32 a; .param .b32 r;\n"
                       "  st.param.b32 [a], %r31; st.param.b32 [r], %r1;\n"
                       "  @%p0 call (r), twice, (a);\n"
                       "  @%p0 ld.param.b32 %r1, [r]; }\n"
                       "activemask.b32 %r2; setp.eq.u32 %p1, %r2, 0xffffffff;\n"
                       "@%p1 add.u32 %r1, %r1, 10000;\n"
                       "st.global.u32 [%d31], %r1;"),
          LINE(1, 32));
  /* All lanes are together again behind the call. */
  EACH_WORD(i, 32) assert_out(i, (i % 3 == 0 ? 2 * i : 7) + 10000);
  vm_close(&vm);
}

static void divergent_returns(void **state) {
  (void)state;
  struct vm vm;
  vm_once(&vm,
          ".func (.param .b32 r) classify(.param .b32 a) {\n"
          "  .reg .b32 %x<4>; .reg .pred %q<4>;\n"
          "  ld.param.u32 %x0, [a];\n"
          "  st.param.b32 [r], 1;\n"
          "  setp.lt.u32 %q0, %x0, 5; @%q0 ret;\n"
          "  st.param.b32 [r], 2;\n"
          "  setp.gt.u32 %q1, %x0, 25; @%q1 bra high;\n"
          "  mov.u32 %x1, %x0;\n"
          "again: sub.u32 %x1, %x1, 1; setp.gt.u32 %q2, %x1, 3; @%q2 bra again;\n"
          "  st.param.b32 [r], %x1;\n"
          "  ret;\n"
          "high: st.param.b32 [r], 4;\n"
          "  ret;\n}\n" KERNEL("{ .param .b32 a; .param .b32 r; st.param.b32 [a], %r31;\n"
                               "  call (r), classify, (a); ld.param.b32 %r1, [r]; }\n"
                               "activemask.b32 %r2; setp.eq.u32 %p1, %r2, 0xffffffff;\n"
                               "@%p1 add.u32 %r1, %r1, 100;\n"
                               "st.global.u32 [%d31], %r1;"),
          LINE(1, 32));
  EACH_WORD(i, 32) assert_out(i, 100 + (i < 5 ? 1 : i > 25 ? 4 : 3));
  vm_close(&vm);
}

static void exit_inside(void **state) {
  (void)state;
  struct vm vm;
  vm_once(&vm,
          ".func leave(.param .b32 a) {\n"
          "  .reg .b32 %x; .reg .pred %q; ld.param.u32 %x, [a]; and.b32 %x, %x, 1;\n"
          "  setp.eq.u32 %q, %x, 1; @%q exit; ret;\n}\n" KERNEL(
              "{ .param .b32 a; st.param.b32 [a], %r31; call leave, (a); }\n"
              "st.global.u32 [%d31], 9;"),
          LINE(1, 64));
  EACH_WORD(i, 64) assert_out(i, i % 2 ? 0 : 9);
  vm_close(&vm);
}

/* Ackermann's function: two calls in one expression, argument of one the result of the other. */
#define ACKERMANN                                                                                  \
  ".func (.param .b32 r) ack(.param .b32 m, .param .b32 n) {\n"                                    \
  "  .reg .b32 %x<8>; .reg .pred %q<2>;\n"                                                         \
  "  ld.param.u32 %x0, [m]; ld.param.u32 %x1, [n];\n"                                              \
  "  setp.ne.u32 %q0, %x0, 0; @%q0 bra deeper;\n"                                                  \
  "  add.u32 %x2, %x1, 1; st.param.b32 [r], %x2; ret;\n"                                           \
  "deeper: mov.u32 %x3, 1; setp.eq.u32 %q1, %x1, 0; @%q1 bra last;\n"                              \
  "  sub.u32 %x4, %x1, 1;\n"                                                                       \
  "  { .param .b32 a; .param .b32 b; .param .b32 c;\n"                                             \
  "    st.param.b32 [a], %x0; st.param.b32 [b], %x4; call (c), ack, (a, b);\n"                     \
  "    ld.param.b32 %x3, [c]; }\n"                                                                 \
  "last: sub.u32 %x5, %x0, 1;\n"                                                                   \
  "  { .param .b32 a; .param .b32 b; .param .b32 c;\n"                                             \
  "    st.param.b32 [a], %x5; st.param.b32 [b], %x3; call (c), ack, (a, b);\n"                     \
  "    ld.param.b32 %x6, [c]; }\n"                                                                 \
  "  st.param.b32 [r], %x6; ret;\n}\n"

static uint32_t ack(uint32_t m, uint32_t n) {
  if (m == 0) return n + 1;
  return ack(m - 1, n == 0 ? 1 : ack(m, n - 1));
}

static void recursion(void **state) {
  (void)state;
  struct vm vm;
  vm_once(&vm,
          ACKERMANN KERNEL("and.b32 %r0, %r31, 3; shr.u32 %r1, %r31, 3;\n"
                           "{ .param .b32 a; .param .b32 b; .param .b32 c;\n"
                           "  st.param.b32 [a], %r0; st.param.b32 [b], %r1;\n"
                           "  call (c), ack, (a, b); ld.param.b32 %r2, [c]; }\n"
                           "st.global.u32 [%d31], %r2;"),
          LINE(1, 32));
  EACH_WORD(i, 32) assert_out(i, ack(i & 3, i >> 3));
  vm_close(&vm);
}

/* Each activation has its own local memory: an array filled on the way down is intact on the way
 * up. */
static void recursion_with_frames(void **state) {
  (void)state;
  struct vm vm;
  vm_once(&vm,
          ".func (.param .b32 r) down(.param .b32 n) {\n"
          "  .local .align 4 .b8 frame[16]; .reg .b32 %x<8>; .reg .b64 %y<4>; .reg .pred %q;\n"
          "  ld.param.u32 %x0, [n];\n"
          "  and.b32 %x1, %x0, 3; mul.wide.u32 %y0, %x1, 4; mov.u64 %y1, frame;\n"
          "  add.u64 %y1, %y1, %y0; mul.lo.u32 %x2, %x0, %x0; st.local.u32 [%y1], %x2;\n"
          "  mov.u32 %x3, 0; setp.eq.u32 %q, %x0, 0; @%q bra up;\n"
          "  sub.u32 %x4, %x0, 1;\n"
          "  { .param .b32 a; .param .b32 c; st.param.b32 [a], %x4; call (c), down, (a);\n"
          "    ld.param.b32 %x3, [c]; }\n"
          "up: cvta.local.u64 %y2, %y1; ld.u32 %x5, [%y2]; add.u32 %x3, %x3, %x5;\n"
          "  st.param.b32 [r], %x3; ret;\n}\n" KERNEL(
              "{ .param .b32 a; .param .b32 c; st.param.b32 [a], %r31; call (c), down, (a);\n"
              "  ld.param.b32 %r2, [c]; }\n"
              "st.global.u32 [%d31], %r2;"),
          LINE(1, 64));
  EACH_WORD(i, 64) assert_out(i, i * (i + 1) * (2 * i + 1) / 6);
  vm_close(&vm);
}

/* a calls b and c, b calls a, c calls b: every one needs its registers after the call. */
static void mutual_recursion(void **state) {
  (void)state;
  struct vm vm;
#define PART(name, callee, factor)                                                                 \
  ".func (.param .b32 r) " name "(.param .b32 n) {\n"                                              \
  "  .reg .b32 %x<8>; .reg .pred %q; ld.param.u32 %x0, [n]; mov.u32 %x1, %x0;\n"                   \
  "  mul.lo.u32 %x2, %x0, " factor "; setp.eq.u32 %q, %x0, 0; @%q bra end;\n"                      \
  "  sub.u32 %x3, %x0, 1;\n"                                                                       \
  "  { .param .b32 i; .param .b32 o; st.param.b32 [i], %x3; call (o), " callee ", (i);\n"          \
  "    ld.param.b32 %x4, [o]; }\n"                                                                 \
  "  add.u32 %x1, %x2, %x4;\n"                                                                     \
  "end: st.param.b32 [r], %x1; ret;\n}\n"
  vm_once(&vm,
          ".func (.param .b32 r) b(.param .b32 n);\n"
          ".func (.param .b32 r) c(.param .b32 n);\n" PART("a", "c", "3") PART("b", "a", "5")
              PART("c", "b", "7") KERNEL("{ .param .b32 i; .param .b32 o; st.param.b32 [i], %r31;\n"
                                         "  call (o), a, (i); ld.param.b32 %r1, [o]; }\n"
                                         "st.global.u32 [%d31], %r1;"),
          LINE(1, 32));
#undef PART
  EACH_WORD(i, 32) {
    static const uint32_t factor[3] = {3, 7, 5};
    uint32_t sum = 0;
    for (uint32_t k = 0; k < i; k++)
      sum += (i - k) * factor[k % 3];
    assert_out(i, sum);
  }
  vm_close(&vm);
}

static void local_memory(void **state) {
  (void)state;
  struct vm vm;
  /* Reverses a per-thread array; local memory of a block starts as zero, whatever ran before. */
  static const char text[] =
      ".func (.param .b32 r) sum(.param .b64 p) {\n"
      "  .local .align 8 .b8 own[64]; .reg .b64 %y<2>; .reg .b32 %x<4>;\n"
      "  ld.param.u64 %y0, [p]; ld.u32 %x0, [%y0]; ld.u32 %x1, [%y0+28];\n"
      "  ld.local.u32 %x2, [own+32]; add.u32 %x0, %x0, %x2; st.local.u32 [own+32], 55;\n"
      "  mad.lo.u32 %x0, %x1, 256, %x0; st.param.b32 [r], %x0; ret;\n}\n" KERNEL(
          ".local .align 8 .b8 a[32];\n"
          "mov.u64 %d0, a; mov.u32 %r0, 0;\n"
          "fill: mul.wide.u32 %d1, %r0, 4; add.u64 %d1, %d1, %d0; add.u32 %r1, %r0, %r31;\n"
          "st.local.u32 [%d1], %r1; add.u32 %r0, %r0, 1; setp.lt.u32 %p0, %r0, 8;\n"
          "@%p0 bra fill;\n"
          "{ .param .b64 p; .param .b32 r; cvta.local.u64 %d2, %d0; st.param.b64 [p], %d2;\n"
          "  call (r), sum, (p); ld.param.b32 %r2, [r]; }\n"
          "st.global.u32 [%d31], %r2;");
  vm_once(&vm, text, LINE(3, 64));
  EACH_WORD(i, 192) assert_out(i, (i + 7) * 256 + i);
  vm_close(&vm);
}

/* A register that was never written reads as zero, whatever an earlier block, call or launch left.
 */
static void unwritten_registers(void **state) {
  (void)state;
  struct vm vm;
  vm_open(&vm, ".func (.param .b32 r) dirty(.param .b32 n) {\n"
               "  .reg .b32 %x<4>; .reg .pred %q;\n"
               "  ld.param.u32 %x0, [n]; setp.eq.u32 %q, %x0, 0; @%q add.u32 %x1, %x0, 1000;\n"
               "  selp.u32 %x2, 1, 0, %q; add.u32 %x1, %x1, %x2; st.param.b32 [r], %x1; ret;\n"
               "}\n" KERNEL("setp.lt.u32 %p0, %r31, 16;\n"
                            "{ .param .b32 a; .param .b32 c; st.param.b32 [a], 0;\n"
                            "  call (c), dirty, (a); ld.param.b32 %r1, [c]; }\n"
                            "{ .param .b32 a; .param .b32 c; st.param.b32 [a], 1;\n"
                            "  call (c), dirty, (a); ld.param.b32 %r2, [c]; }\n"
                            "@%p0 mov.u32 %r3, 5; @!%p0 mov.u32 %r4, 6;\n"
                            "add.u32 %r5, %r3, %r4; add.u32 %r5, %r5, %r2; add.u32 %r5, %r5, %r6;\n"
                            "@%p2 add.u32 %r5, %r5, 777; mov.u32 %r6, 99; setp.eq.u32 %p2, 1, 1;\n"
                            "st.global.u32 [%d31], %r5;"));
  for (int again = 0; again < 2; again++) {
    memset(vm.out, 0xff, 4 * 256);
    vm_run(&vm, "k", LINE(4, 64));
    EACH_WORD(i, 256) assert_out(i, i < 16 ? 5 : 6);
  }
  vm_close(&vm);
}

static void alias_call(void **state) {
  (void)state;
  struct vm vm;
  vm_once(&vm,
          ".visible .func (.param .b32 r) real(.param .b32 a) {\n"
          "  .reg .b32 %x; ld.param.u32 %x, [a]; add.u32 %x, %x, 3; st.param.b32 [r], %x; ret;\n}\n"
          ".visible .func (.param .b32 r) other(.param .b32 a);\n"
          ".alias other, real;\n" KERNEL("{ .param .b32 a; .param .b32 r; st.param.b32 [a], %r31;\n"
                                         "  call (r), other, (a); ld.param.b32 %r1, [r]; }\n"
                                         "st.global.u32 [%d31], %r1;"),
          LINE(1, 32));
  EACH_WORD(i, 32) assert_out(i, i + 3);
  vm_close(&vm);
}

/* Functions that call functions, one of them from two places in divergent code. */
static void nested_calls(void **state) {
  (void)state;
  struct vm vm;
  vm_once(
      &vm,
      ".func (.param .b32 r) inner(.param .b32 a) {\n"
      "  .reg .b32 %x; ld.param.u32 %x, [a]; mad.lo.u32 %x, %x, %x, 1; st.param.b32 [r], %x; ret;\n"
      "}\n"
      ".func (.param .b32 r) outer(.param .b32 a) {\n"
      "  .reg .b32 %x<4>; .reg .pred %q; ld.param.u32 %x0, [a]; and.b32 %x1, %x0, 1;\n"
      "  setp.eq.u32 %q, %x1, 0; @%q bra even;\n"
      "  { .param .b32 b; .param .b32 c; st.param.b32 [b], %x0; call (c), inner, (b);\n"
      "    ld.param.b32 %x2, [c]; }\n"
      "  neg.s32 %x2, %x2; bra done;\n"
      "even: add.u32 %x3, %x0, 100;\n"
      "  { .param .b32 b; .param .b32 c; st.param.b32 [b], %x3; call (c), inner, (b);\n"
      "    ld.param.b32 %x2, [c]; }\n"
      "done: add.u32 %x2, %x2, %x0; st.param.b32 [r], %x2; ret;\n}\n" KERNEL(
          "{ .param .b32 a; .param .b32 r; st.param.b32 [a], %r31; call (r), outer, (a);\n"
          "  ld.param.b32 %r1, [r]; }\n"
          "st.global.u32 [%d31], %r1;"),
      LINE(1, 64));
  EACH_WORD(i, 64) assert_out(i, (i % 2 ? 0 - (i * i + 1) : (i + 100) * (i + 100) + 1) + i);
  vm_close(&vm);
}

/* ---- indirect calls ---- */

#define UNARY(name, how)                                                                           \
  ".func (.param .b32 r) " name "(.param .b32 a) {\n"                                              \
  "  .reg .b32 %x; ld.param.u32 %x, [a]; " how " st.param.b32 [r], %x; ret;\n}\n"
#define THREE                                                                                      \
  UNARY("inc", "add.u32 %x, %x, 1;")                                                               \
  UNARY("twice", "add.u32 %x, %x, %x;") UNARY("square", "mul.lo.u32 %x, %x, %x;")
#define ICALL(addr, arg, result)                                                                   \
  "{ .param .b32 a; .param .b32 r; st.param.b32 [a], " arg ";\n"                                   \
  "P: .callprototype (.param .b32 _) _ (.param .b32 _);\n"                                         \
  "call (r), " addr ", (a), P; ld.param.b32 " result ", [r]; }\n"
#define TOGETHER                                                                                   \
  "activemask.b32 %r9; setp.eq.u32 %p9, %r9, 0xffffffff; @%p9 add.u32 %r1, %r1, 10000;\n"

static uint32_t three(uint32_t which, uint32_t x) {
  return which == 0 ? x + 1 : which == 1 ? x + x : x * x;
}

/* A table of functions in global or constant memory, read with an index that differs by lane. */
static void function_tables(void **state) {
  (void)state;
  static const char *const spaces[] = {"global", "const"};
  for (int s = 0; s < 2; s++) {
    struct vm vm;
    char text[4096];
    snprintf(text, sizeof text, "%s.%s .align 8 .u64 table[3] = {inc, twice, square};\n%s", THREE,
             spaces[s],
             s == 0 ? KERNEL("rem.u32 %r0, %r31, 3; mul.wide.u32 %d0, %r0, 8; mov.u64 %d1, table;\n"
                             "add.u64 %d1, %d1, %d0; ld.global.u64 %d2, [%d1];\n" ICALL(
                                 "%d2", "%r31", "%r1") TOGETHER "st.global.u32 [%d31], %r1;")
                    : KERNEL("rem.u32 %r0, %r31, 3; mul.wide.u32 %d0, %r0, 8; mov.u64 %d1, table;\n"
                             "add.u64 %d1, %d1, %d0; ld.const.u64 %d2, [%d1];\n" ICALL(
                                 "%d2", "%r31", "%r1") TOGETHER "st.global.u32 [%d31], %r1;"));
    vm_once(&vm, text, LINE(2, 64));
    EACH_WORD(i, 128) assert_out(i, three(i % 3, i) + 10000);
    vm_close(&vm);
  }
}

/* Addresses made by mov and chosen by predicates; lanes whose guard is false do not call. */
static void guarded_indirect(void **state) {
  (void)state;
  struct vm vm;
  vm_once(&vm,
          THREE KERNEL("mov.u64 %d1, inc; mov.u64 %d2, square; setp.lt.u32 %p0, %r31, 10;\n"
                       "selp.b64 %d1, %d1, %d2, %p0; setp.lt.u32 %p1, %r31, 20; mov.u32 %r1, 7;\n"
                       "@!%p1 mov.u64 %d1, 0;\n"
                       "{ .param .b32 a; .param .b32 r; st.param.b32 [a], %r31;\n"
                       "T: .calltargets inc, square;\n"
                       "@%p1 call (r), %d1, (a), T; @%p1 ld.param.b32 %r1, [r]; }\n" TOGETHER
                       "st.global.u32 [%d31], %r1;"),
          LINE(1, 32));
  EACH_WORD(i, 32) assert_out(i, 10000 + (i < 10 ? i + 1 : i < 20 ? i * i : 7));
  vm_close(&vm);
}

/* Objects with tables of functions, as a compiler lays them out. */
static void virtual_functions(void **state) {
  (void)state;
  struct vm vm;
#define METHOD(name, how)                                                                          \
  ".func (.param .b32 r) " name "(.param .b64 self, .param .b32 a) {\n"                            \
  "  .reg .b32 %x<2>; .reg .b64 %y; ld.param.u64 %y, [self]; ld.u32 %x1, [%y+8];\n"                \
  "  ld.param.u32 %x0, [a]; " how " st.param.b32 [r], %x0; ret;\n}\n"
  vm_once(
      &vm,
      METHOD("first", "add.u32 %x0, %x0, %x1;") METHOD(
          "second",
          "mul.lo.u32 %x0, %x0, %x1;") ".global .align 8 .u64 vt0[3] = {0, 0, first};\n"
                                       ".global .align 8 .u64 vt1[3] = {0, 0, second};\n" KERNEL(
                                           ".local .align 8 .b8 object[16];\n"
                                           "mov.u64 %d1, vt0; mov.u64 %d2, vt1; and.b32 %r0, %r31, "
                                           "4; setp.eq.u32 %p0, %r0, 0;\n"
                                           "selp.b64 %d1, %d1, %d2, %p0; add.u64 %d1, %d1, 16;\n"
                                           "st.local.u64 [object], %d1; st.local.u32 [object+8], "
                                           "%r30; cvta.local.u64 %d3, object;\n"
                                           "ld.u64 %d4, [%d3]; ld.u64 %d5, [%d4];\n"
                                           "{ .param .b64 s; .param .b32 a; .param .b32 r;\n"
                                           "st.param.b64 [s], %d3; st.param.b32 [a], 3;\n"
                                           "P: .callprototype (.param .b32 _) _ (.param .b64 _, "
                                           ".param .b32 _);\n"
                                           "call (r), %d5, (s, a), P; ld.param.b32 %r1, [r]; "
                                           "}\n" TOGETHER "st.global.u32 [%d31], %r1;"),
      LINE(2, 32));
#undef METHOD
  EACH_WORD(i, 64) assert_out(i, 10000 + ((i & 4) == 0 ? i % 32 + 3 : i % 32 * 3));
  vm_close(&vm);
}

/* Functions that call through a pointer they are given, themselves among others: each lane goes its
 * own way down and comes back with its own registers. */
static void indirect_recursion(void **state) {
  (void)state;
  struct vm vm;
#define STEP(name, factor)                                                                         \
  ".func (.param .b32 r) " name "(.param .b32 n) {\n"                                              \
  "  .reg .b32 %x<8>; .reg .b64 %y<4>; .reg .pred %q; ld.param.u32 %x0, [n];\n"                    \
  "  mov.u32 %x1, 0; setp.eq.u32 %q, %x0, 0; @%q bra end;\n"                                       \
  "  sub.u32 %x2, %x0, 1; rem.u32 %x3, %x0, 2; mul.wide.u32 %y0, %x3, 8; mov.u64 %y1, steps;\n"    \
  "  add.u64 %y1, %y1, %y0; ld.global.u64 %y2, [%y1];\n" ICALL(                                    \
      "%y2", "%x2", "%x4") "  mad.lo.u32 %x1, %x0, " factor ", %x4;\n"                             \
                           "end: st.param.b32 [r], %x1; ret;\n}\n"
  vm_once(&vm,
          ".func (.param .b32 r) even(.param .b32 n);\n.func (.param .b32 r) odd(.param .b32 n);\n"
          ".global .align 8 .u64 steps[2] = {even, odd};\n" STEP("even", "3") STEP("odd", "7")
              KERNEL("and.b32 %r0, %r31, 1; mul.wide.u32 %d0, %r0, 8; mov.u64 %d1, steps;\n"
                     "add.u64 %d1, %d1, %d0; ld.global.u64 %d2, [%d1];\n" ICALL(
                         "%d2", "%r31", "%r1") TOGETHER "st.global.u32 [%d31], %r1;"),
          LINE(1, 32));
#undef STEP
  EACH_WORD(i, 32) {
    uint32_t sum = 0, factor = i % 2 ? 7 : 3;
    for (uint32_t n = i; n > 0; n--) {
      sum += n * factor;
      factor = n % 2 ? 7 : 3;
    }
    assert_out(i, sum + 10000);
  }
  vm_close(&vm);
}

static void bad_pointers(void **state) {
  (void)state;
  struct vm vm;
  vm_open(&vm,
          THREE ".func pair(.param .b32 a, .param .b32 b) { ret; }\n" KERNEL_AS(
              "null", "mov.u64 %d1, inc; setp.eq.u32 %p1, %r31, 5; @%p1 mov.u64 %d1, 0;\n" ICALL(
                          "%d1", "%r31", "%r1"))
              KERNEL_AS("wild", "mov.u64 %d1, 0x123456;\n" ICALL("%d1", "%r31", "%r1"))
                  KERNEL_AS("other", "mov.u64 %d1, pair;\n" ICALL("%d1", "%r31", "%r1")));
  expect_fault(&vm, "null", LINE(1, 32), "call of address 0x0, where no function is");
  assert_int_equal(vm.fault, PTX_F_CALL);
  assert_non_null(strstr(vm.err.msg, "thread (5,0,0)"));
  expect_fault(&vm, "wild", LINE(1, 32), "call of address 0x123456");
  expect_fault(&vm, "other", LINE(1, 32),
               "'pair' through a pointer: it does not take the arguments");
  assert_int_equal(vm.fault, PTX_F_CALL);
  vm_close(&vm);
}

/* The variable that holds the addresses can stand for the targets, as in old PTX; a result can be
 * left where it is. */
static void table_as_targets(void **state) {
  (void)state;
  struct vm vm;
  vm_once(&vm,
          THREE ".global .align 8 .u64 table[2] = {inc, twice};\n" KERNEL(
              "ld.global.u64 %d2, [table+8];\n"
              "{ .param .b32 a; .param .b32 r; st.param.b32 [a], %r31;\n"
              "call (r), %d2, (a), table; ld.param.b32 %r1, [r];\n"
              "call (_), %d2, (a), table; call (_), square, (a); }\n"
              "st.global.u32 [%d31], %r1;"),
          LINE(1, 32));
  EACH_WORD(i, 32) assert_out(i, 2 * i);
  vm_close(&vm);
}

/* As deep as is allowed, and one deeper. */
static void deepest_recursion(void **state) {
  (void)state;
  struct vm vm;
  vm_defaults(&vm);
  vm.cfg.max_depth = 40;
  vm_open_as_is(&vm,
                ".func (.param .b32 r) down(.param .b32 n) {\n"
                "  .reg .b32 %x<4>; .reg .pred %q; ld.param.u32 %x0, [n]; mov.u32 %x1, 0;\n"
                "  setp.eq.u32 %q, %x0, 0; @%q bra up; sub.u32 %x2, %x0, 1;\n"
                "  { .param .b32 a; .param .b32 c; st.param.b32 [a], %x2; call (c), down, (a);\n"
                "    ld.param.b32 %x1, [c]; }\n"
                "up: add.u32 %x1, %x1, %x0; st.param.b32 [r], %x1; ret;\n}\n" KERNEL_AS(
                    "k", "{ .param .b32 a; .param .b32 c; st.param.b32 [a], 39;\n"
                         "call (c), down, (a); ld.param.b32 %r1, [c]; }\n"
                         "st.global.u32 [%d31], %r1;")
                    KERNEL_AS("deeper", "{ .param .b32 a; .param .b32 c; st.param.b32 [a], 40;\n"
                                        "call (c), down, (a); }"));
  vm_run(&vm, "k", LINE(1, 32));
  assert_out(0, 39 * 40 / 2);
  expect_fault(&vm, "deeper", LINE(1, 32), "stack overflow: calls nested 41 deep");
  assert_non_null(strstr(vm.err.msg, "in function down"));
  assert_non_null(strstr(vm.err.msg, "exec.max_depth"));
  assert_int_equal(vm.fault, PTX_F_STACK);
  vm_close(&vm);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(several_parameters),  cmocka_unit_test(struct_parameters),
      cmocka_unit_test(register_parameters), cmocka_unit_test(guarded_call),
      cmocka_unit_test(divergent_returns),   cmocka_unit_test(exit_inside),
      cmocka_unit_test(recursion),           cmocka_unit_test(recursion_with_frames),
      cmocka_unit_test(local_memory),        cmocka_unit_test(unwritten_registers),
      cmocka_unit_test(mutual_recursion),    cmocka_unit_test(alias_call),
      cmocka_unit_test(nested_calls),        cmocka_unit_test(function_tables),
      cmocka_unit_test(guarded_indirect),    cmocka_unit_test(virtual_functions),
      cmocka_unit_test(indirect_recursion),  cmocka_unit_test(bad_pointers),
      cmocka_unit_test(table_as_targets),    cmocka_unit_test(deepest_recursion),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
