/* Divergence: nested branches and loops, indexed branches, lanes that meet again, statistics of
 * branches. */
#include "vm.h"

/* The lanes that are together at the end of everything below. */
#define TOGETHER                                                                                   \
  "activemask.b32 %r27; popc.b32 %r27, %r27; mad.lo.u32 %r0, %r27, 100000, %r0;\n"                 \
  "st.global.u32 [%d31], %r0;"

static uint32_t collatz(uint32_t n) {
  uint32_t steps = 0;
  for (; n > 1; steps++)
    n = n % 2 ? 3 * n + 1 : n / 2;
  return steps;
}

/* A loop whose lanes leave at different times, with a branch inside. */
static void divergent_loop(void **state) {
  (void)state;
  struct vm vm;
  vm_once(&vm,
          KERNEL("mov.u32 %r1, %r31; mov.u32 %r0, 0;\n"
                 "again: setp.le.u32 %p0, %r1, 1; @%p0 bra done;\n"
                 "and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 0; @%p1 bra even;\n"
                 "mad.lo.u32 %r1, %r1, 3, 1; bra next;\n"
                 "even: shr.u32 %r1, %r1, 1;\n"
                 "next: add.u32 %r0, %r0, 1; bra again;\n"
                 "done:" TOGETHER),
          LINE(2, 64));
  EACH_WORD(i, 128) assert_out(i, 3200000 + collatz(i));
  vm_close(&vm);
}

/* Two loops with break and continue, one in the other. */
static void nested_loops(void **state) {
  (void)state;
  struct vm vm;
  vm_once(
      &vm,
      KERNEL(
          "mov.u32 %r0, 0; mov.u32 %r1, 0; and.b32 %r9, %r30, 7;\n"
          "outer: mov.u32 %r2, 0;\n"
          "inner: add.u32 %r2, %r2, 1;\n"
          "add.u32 %r3, %r1, %r2; rem.u32 %r4, %r3, 3; setp.eq.u32 %p0, %r4, 0;\n"
          "@%p0 bra inner_end;\n"                            /* continue */
          "setp.gt.u32 %p1, %r2, %r9; @%p1 bra outer_end;\n" /* break */
          "add.u32 %r0, %r0, %r3;\n"
          "inner_end: setp.lt.u32 %p2, %r2, 10; @%p2 bra inner;\n"
          "outer_end: add.u32 %r1, %r1, 1; setp.lt.u32 %p3, %r1, %r30; @%p3 bra outer;\n" TOGETHER),
      LINE(1, 32));
  EACH_WORD(i, 32) {
    uint32_t sum = 0, a = 0;
    do {
      for (uint32_t b = 1; b <= 10; b++) {
        if ((a + b) % 3 == 0) continue;
        if (b > (i & 7)) break;
        sum += a + b;
      }
      a++;
    } while (a < i);
    assert_out(i, 3200000 + sum);
  }
  vm_close(&vm);
}

/* Five levels of branches: every lane goes its own way, and all meet. */
static void deep_branches(void **state) {
  (void)state;
  struct vm vm;
#define LEVEL(n, bit, inside)                                                                      \
  "and.b32 %r2, %r30, " bit "; setp.ne.u32 %p0, %r2, 0; @%p0 bra T" n ";\n"                        \
  "mad.lo.u32 %r0, %r0, 2, 0; bra E" n ";\n"                                                       \
  "T" n ": mad.lo.u32 %r0, %r0, 2, 1;\n" inside "E" n ": add.u32 %r1, %r1, 1;\n"
  vm_once(&vm,
          KERNEL("mov.u32 %r0, 0; mov.u32 %r1, 0;\n" LEVEL(
              "1", "1", LEVEL("2", "2", LEVEL("3", "4", LEVEL("4", "8", LEVEL("5", "16", "")))))
                     TOGETHER "add.u64 %d31, %d31, 4096; st.global.u32 [%d31], %r1;"),
          LINE(1, 32));
#undef LEVEL
  EACH_WORD(i, 32) {
    uint32_t value = 0, passed = 0;
    for (uint32_t bit = 1; bit <= 16; bit *= 2) {
      passed++;
      value = 2 * value + ((i & bit) != 0);
      if (!(i & bit)) break;
    }
    assert_out(i, 3200000 + value);
    assert_out(1024 + i, passed);
  }
  vm_close(&vm);
}

static void indexed_branches(void **state) {
  (void)state;
  struct vm vm;
  vm_once(&vm,
          KERNEL("rem.u32 %r1, %r30, 5; setp.lt.u32 %p0, %r30, 25; mov.u32 %r0, 1;\n"
                 "ts: .branchtargets A, B, C, B, A;\n"
                 "@%p0 brx.idx %r1, ts;\n"
                 "add.u32 %r0, %r0, 700; bra D;\n"
                 "A: add.u32 %r0, %r0, 10;\n" /* falls through */
                 "B: add.u32 %r0, %r0, 20; bra D;\n"
                 "C: add.u32 %r0, %r0, 40;\n"
                 "D:" TOGETHER),
          LINE(1, 32));
  EACH_WORD(i, 32) {
    static const uint32_t want[5] = {31, 21, 41, 21, 31};
    assert_out(i, 3200000 + (i < 25 ? want[i % 5] : 701));
  }
  assert_int_equal(vm.stats.divergent_branches, 1);
  vm_close(&vm);
}

/* A lock by one lane at a time, then a place where all lanes of the warp wait for one another. */
static void lock_then_meet(void **state) {
  (void)state;
  struct vm vm;
  vm_once(&vm,
          ".global .u32 lock; .global .u32 count;\n" KERNEL(
              "mov.u32 %r5, 0;\n"
              "again: setp.ne.u32 %p1, %r5, 0; @%p1 bra done;\n"
              "atom.global.cas.b32 %r1, [lock], 0, 1; setp.ne.u32 %p0, %r1, 0; @%p0 bra again;\n"
              "ld.volatile.global.u32 %r2, [count]; add.u32 %r2, %r2, 1;\n"
              "st.volatile.global.u32 [count], %r2; mov.u32 %r5, 1;\n"
              "membar.gl; atom.global.exch.b32 %r3, [lock], 0; bra again;\n"
              "done: bar.warp.sync -1; redux.sync.max.u32 %r0, %r2, -1;\n"
              "vote.sync.ballot.b32 %r4, 1, -1; popc.b32 %r4, %r4;\n"
              "mad.lo.u32 %r0, %r4, 1000, %r0; st.global.u32 [%d31], %r0;"),
          LINE(1, 32));
  EACH_WORD(i, 32) assert_out(i, 32032);
  vm_close(&vm);
}

/* A barrier in a function that warps call from different places. */
static void barrier_in_function(void **state) {
  (void)state;
  struct vm vm;
  vm_once(
      &vm,
      ".func wait(.param .b32 n) { .reg .b32 %x; .reg .pred %q; ld.param.u32 %x, [n];\n"
      "again: bar.sync 0; sub.u32 %x, %x, 1; setp.ne.u32 %q, %x, 0; @%q bra again; ret; }\n" KERNEL(
          ".shared .u32 s; and.b32 %r1, %r30, 32; setp.ne.u32 %p0, %r1, 0; @%p0 bra other;\n"
          "{ .param .b32 n; st.param.b32 [n], 3; call wait, (n); } bra all;\n"
          "other: red.shared.add.u32 [s], 1;\n"
          "{ .param .b32 n; st.param.b32 [n], 1; call wait, (n); }\n"
          "red.shared.add.u32 [s], 100;\n"
          "{ .param .b32 n; st.param.b32 [n], 2; call wait, (n); }\n"
          "all: ld.shared.u32 %r0, [s]; st.global.u32 [%d31], %r0;"),
      LINE(1, 96));
  EACH_WORD(i, 96) assert_out(i, 32 * 101);
  vm_close(&vm);
}

/* Lanes that exit inside of nested branches are not waited for at the places where the others meet.
 */
static void exits_inside_branches(void **state) {
  (void)state;
  struct vm vm;
  vm_once(&vm,
          KERNEL("mov.u32 %r0, 5; setp.lt.u32 %p0, %r30, 24; @!%p0 bra join;\n"
                 "setp.lt.u32 %p1, %r30, 12; @!%p1 bra inner; add.u32 %r0, %r0, 1;\n"
                 "setp.lt.u32 %p2, %r30, 6; @%p2 exit; add.u32 %r0, %r0, 1;\n"
                 "inner: add.u32 %r0, %r0, 10;\n"
                 "join: bar.warp.sync -1; vote.sync.ballot.b32 %r1, 1, -1;\n"
                 "popc.b32 %r1, %r1; mad.lo.u32 %r0, %r1, 100000, %r0;\n"
                 "st.global.u32 [%d31], %r0;"),
          LINE(1, 32));
  EACH_WORD(i, 32) assert_out(i, i < 6 ? 0 : 2600000 + (i < 12 ? 17 : i < 24 ? 15 : 5));
  vm_close(&vm);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(divergent_loop),        cmocka_unit_test(nested_loops),
      cmocka_unit_test(deep_branches),         cmocka_unit_test(indexed_branches),
      cmocka_unit_test(lock_then_meet),        cmocka_unit_test(barrier_in_function),
      cmocka_unit_test(exits_inside_branches),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
