/* Registers that hold needed values at once, counted by hand. */
#include <glob.h>
#include <stdio.h>

#include "../base/testing.h"
#include "base/file.h"
#include "base/mem.h"
#include "ptx/registers.h"

static struct ptx_module *parse_kernel(const char *directives, const char *body) {
  char text[9000];
  int n = snprintf(text, sizeof text,
                   ".version 8.0\n.target sm_75\n.address_size 64\n"
                   ".visible .entry k(.param .u64 p) %s\n{\n"
                   ".reg .pred %%p<4>; .reg .b16 %%h<4>; .reg .b32 %%r<40>; .reg .b64 %%d<8>;\n"
                   ".reg .b128 %%q<2>;\n%s}\n",
                   directives, body);
  struct ptx_module *m;
  struct ptx_diags d = {0};
  assert_true(n > 0 && (size_t)n < sizeof text);
  if (ptx_parse(text, (size_t)n, "liveness", &m, &d) != WEIR_OK) fail_msg("%s", d.v[0].msg);
  return m;
}

static uint32_t peak_for(const char *body, unsigned sm) {
  struct ptx_module *m = parse_kernel("", body);
  struct ptx_liveness l;
  uint32_t peak;
  assert_true(ptx_liveness_find(m->funcs[0], NULL, &l));
  assert_true(ptx_peak_registers(m->funcs[0], &l, sm, &peak));
  ptx_liveness_free(&l);
  ptx_module_free(m);
  return peak;
}

static uint32_t peak_of(const char *body) {
  return peak_for(body, 75);
}

static void straight_line(void **state) {
  (void)state;
  assert_int_equal(peak_of("ret;"), 0);
  /* r1, r2, r3 are needed at once; r4 may take the place of one. */
  assert_int_equal(peak_of("mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.x; mov.u32 %r3, %tid.x;\n"
                           "add.u32 %r4, %r1, %r2; add.u32 %r4, %r4, %r3;\n"
                           "st.global.u32 [0], %r4; ret;"),
                   3);
  /* One after the other in one place. */
  assert_int_equal(peak_of("mov.u32 %r1, %tid.x; add.u32 %r2, %r1, 1; add.u32 %r3, %r2, 1;\n"
                           "st.global.u32 [0], %r3; ret;"),
                   1);
}

static void widths(void **state) {
  (void)state;
  assert_int_equal(peak_of("cvt.u64.u32 %d1, %tid.x; st.global.u64 [%d1], %d1; ret;"), 2);
  assert_int_equal(
      peak_of("cvt.u64.u32 %d1, %tid.x; cvt.u16.u32 %h1, %tid.x; st.global.u16 [%d1], %h1;\n"
              "ret;"),
      3);
  assert_int_equal(peak_of("cvt.u64.u32 %d1, %tid.x; ld.global.b128 %q1, [%d1];\n"
                           "st.global.b128 [%d1], %q1; ret;"),
                   6);
  /* Predicates have registers of their own. */
  assert_int_equal(
      peak_of("mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 2; setp.eq.u32 %p2, %r1, 3;\n"
              "@%p1 st.global.u32 [0], %r1; @%p2 st.global.u32 [4], %r1; ret;"),
      1);
}

/* What is live around a loop stays through it: r1 and r2, and r3 inside. */
static void loop(void **state) {
  (void)state;
  assert_int_equal(peak_of("mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.x;\n"
                           "L: add.u32 %r3, %r1, 7; add.u32 %r1, %r3, %r2;\n"
                           "setp.lt.u32 %p1, %r1, 100; @%p1 bra L;\n"
                           "st.global.u32 [0], %r1; ret;"),
                   2);
  assert_int_equal(peak_of("mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.x;\n"
                           "L: add.u32 %r3, %r1, 7; mul.lo.u32 %r4, %r3, %r1;\n"
                           "add.u32 %r1, %r3, %r4;\n"
                           "setp.lt.u32 %p1, %r1, 100; @%p1 bra L;\n"
                           "add.u32 %r1, %r1, %r2; st.global.u32 [0], %r1; ret;"),
                   3);
}

/* Each side needs what the other does not: the sides do not add up. */
static void diamond(void **state) {
  (void)state;
  assert_int_equal(
      peak_of("mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 1; @%p1 bra B;\n"
              "mov.u32 %r2, %tid.x; mov.u32 %r3, %tid.x; add.u32 %r4, %r2, %r3; bra C;\n"
              "B: mov.u32 %r5, %tid.x; mov.u32 %r6, %tid.x; add.u32 %r4, %r5, %r6;\n"
              "C: add.u32 %r4, %r4, %r1; st.global.u32 [0], %r4; ret;"),
      3);
}

static void dead_code(void **state) {
  (void)state;
  /* A result that nobody reads takes a register for a moment, one that is not reached takes none.
   */
  assert_int_equal(peak_of("mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.x; mov.u32 %r3, %tid.x; ret;"),
                   1);
  assert_int_equal(
      peak_of("bra E; mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.x; add.u32 %r3, %r1, %r2;\n"
              "st.global.u32 [0], %r3; E: ret;"),
      0);
}

/* Under a guard a register may keep what it held; if it held nothing, it is not live before. */
static void guards(void **state) {
  (void)state;
  assert_int_equal(peak_of("mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 1; mov.u32 %r2, %tid.x;\n"
                           "@%p1 mov.u32 %r2, %tid.x; st.global.u32 [0], %r2; ret;"),
                   1);
  assert_int_equal(peak_of("mov.u32 %r1, %tid.x; mov.u32 %r3, %tid.x; setp.eq.u32 %p1, %r1, %r3;\n"
                           "@%p1 mov.u32 %r2, %tid.x; st.global.u32 [0], %r2; ret;"),
                   2);
}

/* Loads move up, with their addresses, past arithmetic but not past a store. */
static void loads(void **state) {
  (void)state;
  assert_int_equal(peak_of("cvt.u64.u32 %d1, %tid.x; ld.global.u32 %r1, [%d1];\n"
                           "add.u32 %r20, %r1, 1; ld.global.u32 %r2, [%d1+4];\n"
                           "add.u32 %r21, %r20, %r2; ld.global.u32 %r3, [%d1+8];\n"
                           "add.u32 %r22, %r21, %r3; st.global.u32 [0], %r22; ret;"),
                   2 + 2); /* three loads, when the address is no longer needed, or two with it */
  assert_int_equal(peak_of("cvt.u64.u32 %d1, %tid.x; ld.global.u32 %r1, [%d1];\n"
                           "add.u32 %r20, %r1, 1; ld.global.u32 %r2, [%d1+4];\n"
                           "add.u32 %r21, %r20, %r2; ld.global.u32 %r3, [%d1+8];\n"
                           "add.u32 %r22, %r21, %r3; st.global.u32 [%d1], %r22; ret;"),
                   2 + 3);
  assert_int_equal(peak_of("cvt.u64.u32 %d1, %tid.x; ld.global.u32 %r1, [%d1];\n"
                           "add.u32 %r20, %r1, 1; st.global.u32 [%d1], %r20;\n"
                           "ld.global.u32 %r2, [%d1+4]; add.u32 %r21, %r20, %r2;\n"
                           "st.global.u32 [%d1], %r21; ld.global.u32 %r3, [%d1+8];\n"
                           "add.u32 %r22, %r21, %r3; st.global.u32 [%d1], %r22; ret;"),
                   2 + 2);
  /* A pointer that is moved on is another one above. */
  assert_int_equal(peak_of("cvt.u64.u32 %d1, %tid.x; mov.u32 %r1, %tid.x;\n"
                           "L: ld.global.u32 %r2, [%d1]; add.u32 %r1, %r1, %r2;\n"
                           "add.u64 %d1, %d1, 4; ld.global.u32 %r3, [%d1];\n"
                           "add.u32 %r1, %r1, %r3; add.u64 %d1, %d1, 4;\n"
                           "setp.lt.u32 %p1, %r1, 9; @%p1 bra L;\n"
                           "st.global.u32 [0], %r1; ret;"),
                   2 + 2);
}

/* Constants, parameters and their copies are operands of machine code. */
static void operands(void **state) {
  (void)state;
  assert_int_equal(peak_of("mov.u32 %r1, 1; mov.u32 %r2, %tid.x; ld.param.u64 %d1, [p];\n"
                           "cvta.to.global.u64 %d2, %d1; add.u32 %r3, %r1, %r2;\n"
                           "st.global.u32 [%d2], %r3; ret;"),
                   1);
  /* Not what is written again, and not what is made of a parameter. */
  assert_int_equal(peak_of("mov.u32 %r1, 1; mov.u32 %r2, %tid.x;\n"
                           "L: add.u32 %r1, %r1, %r2; setp.lt.u32 %p1, %r1, 9; @%p1 bra L;\n"
                           "st.global.u32 [0], %r1; ret;"),
                   2);
  assert_int_equal(peak_of("ld.param.u64 %d1, [p]; add.u64 %d2, %d1, 8; mov.u32 %r1, %tid.x;\n"
                           "st.global.u32 [%d2], %r1; ret;"),
                   3);
  assert_int_equal(peak_of("mov.u32 %r2, %tid.x; setp.eq.u32 %p1, %r2, 1; @%p1 mov.u32 %r1, 1;\n"
                           "add.u32 %r3, %r1, %r2; st.global.u32 [0], %r3; ret;"),
                   2);
}

#define LOOP_OF(load, store)                                                                       \
  "cvt.u64.u32 %d1, %tid.x; cvt.u64.u32 %d2, %tid.x; mov.u32 %r1, %tid.x; mov.u32 %r3, %tid.x;\n"  \
  "L: " load " add.u32 %r1, %r1, %r2; " store " add.u64 %d1, %d1, 4; add.u32 %r3, %r3, 1;\n"       \
  "setp.ne.u32 %p1, %r3, 99; @%p1 bra L; st.global.u32 [0], %r1; ret;"

/* A loop that can be unrolled takes the loads of three more iterations, unless stores keep them. */
static void unrolled_loops(void **state) {
  (void)state;
  const char *plain = LOOP_OF("ld.global.u32 %r2, [%d1];", "");
  assert_int_equal(peak_of(plain), 2 + 2 + 1 + 3);
  assert_int_equal(peak_of(LOOP_OF(".pragma \"nounroll\"; ld.global.u32 %r2, [%d1];", "")),
                   2 + 2 + 1);
  assert_int_equal(peak_of(LOOP_OF("ld.global.u32 %r2, [%d1];", "st.global.u32 [%d2], %r1;")),
                   4 + 2 + 1);
  assert_int_equal(peak_of(LOOP_OF("ld.global.nc.u32 %r2, [%d1];", "st.global.u32 [%d2], %r1;")),
                   4 + 2 + 1 + 3);
  assert_int_equal(peak_of(LOOP_OF("ld.global.u32 %r2, [%d1];", "st.global.u32 [%d1], %r1;")),
                   2 + 2 + 1 + 3);
  assert_int_equal(peak_of(LOOP_OF("ld.global.u32 %r2, [%d1];", "st.shared.u32 [%d2], %r1;")),
                   4 + 2 + 1 + 3);
  assert_int_equal(peak_of(LOOP_OF("ld.global.u32 %r2, [%d1]; mov.u32 %r4, %clock;", "")),
                   2 + 2 + 1 + 1);
}

static uint32_t peak_of_loads(unsigned n, unsigned sm) {
  char body[8000] = "cvt.u64.u32 %d1, %tid.x; .reg .b32 %x<100>; .reg .b32 %s<101>;\n"
                    "mov.u32 %s0, %tid.x;\n";
  for (unsigned i = 0; i < n; i++) {
    size_t at = strlen(body);
    snprintf(body + at, sizeof body - at,
             "ld.global.u32 %%x%u,[%%d1+%u];add.u32 %%s%u,%%s%u,%%x%u;", i, 4 * i, i + 1, i, i);
  }
  size_t end = strlen(body);
  snprintf(body + end, sizeof body - end, "st.global.u32 [%%d1], %%s%u; ret;", n);
  return peak_for(body, sm);
}

/* Loads rise as far as all threads of an SM have room, with the 7 that a kernel has beside. */
static void many_loads(void **state) {
  (void)state;
  assert_int_equal(peak_of_loads(40, 75), 2 + 1 + 40);
  assert_int_equal(peak_of_loads(90, 75), 64 - 7);
  assert_int_equal(peak_of_loads(90, 89), 40 - 7);
  assert_int_equal(peak_of_loads(90, 120), 40 - 7);
  assert_int_equal(peak_of_loads(90, 80), 32 - 7);
  assert_int_equal(peak_of_loads(90, 90), 32 - 7);
}

static uint32_t estimate(const char *directives, uint32_t peak, unsigned sm) {
  struct ptx_module *m = parse_kernel(directives, "ret;");
  uint32_t n = ptx_estimate_registers(m->funcs[0], sm, peak);
  ptx_module_free(m);
  return n;
}

static void limits(void **state) {
  (void)state;
  assert_int_equal(estimate("", 0, 75), 7);
  assert_int_equal(estimate("", 40, 75), 47);
  assert_int_equal(estimate("", 400, 75), 255);
  assert_int_equal(estimate("", 400, 20), 63);
  assert_int_equal(estimate(".maxnreg 32", 40, 75), 32);
  assert_int_equal(estimate(".maxnreg 32", 10, 75), 17);
  assert_int_equal(estimate(".maxntid 1024, 1, 1", 100, 75), 64);
  assert_int_equal(estimate(".reqntid 16, 16, 1", 400, 75), 255);
  assert_int_equal(estimate(".maxntid 256, 1, 1 .minnctapersm 4", 100, 75), 64);
  assert_int_equal(estimate(".maxntid 96, 1, 1 .minnctapersm 5", 400, 75), 136);
}

/* The first lines of the workloads' PTX say what ptxas took; docs/timing.md promises how close the
 * estimate is. */
static void compare_with_ptxas(const char *path, unsigned *n_kernels, unsigned *sum) {
  struct ptx_module *m;
  struct ptx_diags d = {0};
  struct weir_err err;
  size_t len;
  char *text;
  if (weir_file_read(path, 0, NULL, &text, &len, &err) != WEIR_OK) fail_msg("%s", err.msg);
  if (ptx_parse(text, len, path, &m, &d) != WEIR_OK) fail_msg("%s", d.v[0].msg);
  for (const char *p = text; (p = strstr(p, "// ptxas sm_")) != NULL; p++) {
    char name[64];
    int regs;
    struct ptx_liveness l;
    uint32_t peak;
    if (sscanf(p, "// ptxas sm_%*d: %63s registers %d", name, &regs) != 2) fail_msg("%s", p);
    const struct ptx_func *f = ptx_find_func(m, name);
    assert_non_null(f);
    assert_true(ptx_liveness_find(f, NULL, &l));
    assert_true(ptx_peak_registers(f, &l, m->sm, &peak));
    *sum += (unsigned)abs((int)ptx_estimate_registers(f, m->sm, peak) - regs);
    ++*n_kernels;
    ptx_liveness_free(&l);
  }
  ptx_module_free(m);
  free(text);
}

static void workloads(void **state) {
  (void)state;
  char pattern[512];
  glob_t files;
  unsigned n = 0, sum = 0;
  snprintf(pattern, sizeof pattern, "%s/workloads/*/*.ptx", getenv("WEIR_SOURCE"));
  assert_int_equal(glob(pattern, 0, NULL, &files), 0);
  for (size_t i = 0; i < files.gl_pathc; i++)
    compare_with_ptxas(files.gl_pathv[i], &n, &sum);
  globfree(&files);
  assert_true(n >= 500);
  if (sum > 6 * n) fail_msg("the mean difference is %u / %u", sum, n);
}

static void out_of_memory(void **state) {
  (void)state;
  struct ptx_module *m = parse_kernel("", "mov.u32 %r1, %tid.x; st.global.u32 [0], %r1; ret;");
  bool ok = false;
  long n = 0;
  for (; !ok; n++) {
    struct ptx_liveness l;
    uint32_t peak;
    weir_malloc_fail_after(n);
    ok = ptx_liveness_find(m->funcs[0], NULL, &l);
    if (ok) {
      ok = ptx_peak_registers(m->funcs[0], &l, 75, &peak);
      ptx_liveness_free(&l);
    }
    weir_malloc_fail_after(-1);
  }
  assert_true(n > 8);
  ptx_module_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(straight_line),  cmocka_unit_test(widths),
      cmocka_unit_test(loop),           cmocka_unit_test(diamond),
      cmocka_unit_test(dead_code),      cmocka_unit_test(guards),
      cmocka_unit_test(loads),          cmocka_unit_test(operands),
      cmocka_unit_test(unrolled_loops), cmocka_unit_test(many_loads),
      cmocka_unit_test(limits),         cmocka_unit_test(workloads),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
