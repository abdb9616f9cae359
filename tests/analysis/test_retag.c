/* Cache operators into PTX, and nothing else changed. */
#include <stdio.h>

#include "../base/testing.h"
#include "analysis/retag.h"
#include "base/file.h"

static const char begin[] = ".version 8.0\n.target sm_75\n.address_size 64\n"
                            ".visible .entry k(.param .u64 a)\n{\n"
                            ".reg .b64 %rd<4>; .reg .f32 %f<9>; .reg .pred %p<3>;\n";
static const char end[] = "ret;\n}\n";

static struct ptx_module *parse(const char *text, size_t len) {
  struct ptx_module *m;
  struct ptx_diags d = {0};
  if (ptx_parse(text, len, "retag", &m, &d) != WEIR_OK) fail_msg("%s", d.v[0].msg);
  return m;
}

/* Hints for every load that can have one: for all `hint`, or with NONE in turn nothing, ca and cg.
 */
static char *retagged(const struct ptx_module *m, enum weir_hint hint) {
  struct weir_retag list[256];
  struct weir_text out = {0};
  struct weir_err err;
  size_t n = 0, seen = 0;
  for (uint32_t f = m->n_funcs; f-- > 0;)
    for (uint32_t i = m->funcs[f]->n_insns; i-- > 0;) {
      const struct ptx_insn *in = &m->funcs[f]->insns[i];
      if (!weir_can_retag(in) || ptx_has(in, PTX_M_param) || ptx_has(in, PTX_M_shared) ||
          ptx_has(in, PTX_M_const) || ptx_has(in, PTX_M_local))
        continue;
      enum weir_hint one = hint != WEIR_HINT_NONE ? hint : (enum weir_hint)(seen++ % 3);
      if (one != WEIR_HINT_NONE) list[n++] = (struct weir_retag){in, one};
    }
  if (weir_retag(m, list, n, &out, &err) != WEIR_OK) fail_msg("%s", err.msg);
  return out.v;
}

static void assert_retag(const char *body, enum weir_hint hint, const char *want) {
  char from[2048], to[2048];
  int n = snprintf(from, sizeof from, "%s%s%s", begin, body, end);
  snprintf(to, sizeof to, "%s%s%s", begin, want, end);
  struct ptx_module *m = parse(from, (size_t)n);
  char *got = retagged(m, hint);
  assert_string_equal(got, to);
  free(got);
  ptx_module_free(m);
}

static void places(void **state) {
  (void)state;
  assert_retag("ld.global.f32 %f1, [%rd1];\n", WEIR_HINT_CA, "ld.global.ca.f32 %f1, [%rd1];\n");
  assert_retag("ld.global.f32 %f1, [%rd1];\n", WEIR_HINT_CG, "ld.global.cg.f32 %f1, [%rd1];\n");
  assert_retag("ld.global.nc.f32 %f1, [%rd1];\n", WEIR_HINT_CA,
               "ld.global.ca.nc.f32 %f1, [%rd1];\n");
  assert_retag("ld.global.nc.f32 %f1, [%rd1];\n", WEIR_HINT_CG, "ld.global.cg.f32 %f1, [%rd1];\n");
  assert_retag("ld.global.nc.L2::128B.v2.f32 {%f1,%f2}, [%rd1];\n", WEIR_HINT_CG,
               "ld.global.cg.L2::128B.v2.f32 {%f1,%f2}, [%rd1];\n");
  assert_retag("ld.weak.global.v4.f32 {%f1,%f2,%f3,%f4}, [%rd1];\n", WEIR_HINT_CG,
               "ld.weak.global.cg.v4.f32 {%f1,%f2,%f3,%f4}, [%rd1];\n");
  assert_retag("ld.f32 %f1, [%rd1];\n", WEIR_HINT_CG, "ld.cg.f32 %f1, [%rd1];\n");
  assert_retag("ld.weak.f32 %f1, [%rd1];\n", WEIR_HINT_CA, "ld.weak.ca.f32 %f1, [%rd1];\n");
}

/* Priorities stand behind .nc, which stays, and before what is said of the L2. */
static void priorities(void **state) {
  (void)state;
  assert_retag("ld.global.f32 %f1, [%rd1];\n", WEIR_HINT_NO_ALLOCATE,
               "ld.global.L1::no_allocate.f32 %f1, [%rd1];\n");
  assert_retag("ld.global.f32 %f1, [%rd1];\n", WEIR_HINT_EVICT_LAST,
               "ld.global.L1::evict_last.f32 %f1, [%rd1];\n");
  assert_retag("ld.global.nc.f32 %f1, [%rd1];\n", WEIR_HINT_NO_ALLOCATE,
               "ld.global.nc.L1::no_allocate.f32 %f1, [%rd1];\n");
  assert_retag("ld.global.nc.L2::128B.v2.f32 {%f1,%f2}, [%rd1];\n", WEIR_HINT_EVICT_LAST,
               "ld.global.nc.L1::evict_last.L2::128B.v2.f32 {%f1,%f2}, [%rd1];\n");
  assert_retag("ld.weak.f32 %f1, [%rd1];\n", WEIR_HINT_NO_ALLOCATE,
               "ld.weak.L1::no_allocate.f32 %f1, [%rd1];\n");
}

/* Of which modules. */
static void versions(void **state) {
  (void)state;
  static const struct {
    const char *text;
    bool has;
  } rows[] = {{".version 7.4\n.target sm_70\n.address_size 64\n", true},
              {".version 8.0\n.target sm_90a\n.address_size 64\n", true},
              {".version 7.3\n.target sm_80\n.address_size 64\n", false},
              {".version 7.4\n.target sm_61\n.address_size 64\n", false}};
  for (size_t i = 0; i < COUNT(rows); i++) {
    struct ptx_module *m = parse(rows[i].text, strlen(rows[i].text));
    assert_int_equal(weir_has_l1_priorities(m), rows[i].has);
    ptx_module_free(m);
  }
}

/* Several on a line, guards, labels, comments, odd blanks and letters of several bytes. */
static void surroundings(void **state) {
  (void)state;
  assert_retag(
      "/* Zürich → x */ @%p1 ld.global.f32 %f1,[%rd1];\tL: ld.global /* y */ .f32 "
      "%f2,\n[%rd1+4]; // ld.global.f32 é\r\n  @!%p1  ld .global.nc .f32 %f3, [ %rd1 ];\n",
      WEIR_HINT_CG,
      "/* Zürich → x */ @%p1 ld.global.cg.f32 %f1,[%rd1];\tL: ld.global.cg /* y */ .f32 "
      "%f2,\n[%rd1+4]; // ld.global.f32 é\r\n  @!%p1  ld .global.cg .f32 %f3, [ %rd1 ];\n");
}

static void left_alone(void **state) {
  (void)state;
  static const char body[] =
      "ld.global.cg.f32 %f1, [%rd1]; ld.volatile.global.f32 %f2, [%rd1];\n"
      "ld.global.L1::evict_last.f32 %f3, [%rd1]; ld.shared.f32 %f4, [%rd1];\n"
      "ld.global.cs.nc.f32 %f5, [%rd1]; ld.acquire.gpu.f32 %f6, [%rd1];\n"
      "st.global.f32 [%rd1], %f1; ldu.global.f32 %f7, [%rd1];\n";
  assert_retag(body, WEIR_HINT_CG, body);
}

/* Of every workload: taking the operators out gives the text back, except that .nc is gone where
 * .cg stands. */
static void workloads(void **state) {
  static const char *const names[] = {"spmv",         "bfs",       "gather",    "stencil",
                                      "matmul-naive", "simt/simt", "histogram", "transpose"};
  const char *source = *state;
  for (size_t i = 0; i < COUNT(names); i++) {
    char path[4096], *text;
    size_t len;
    const char *slash = strchr(names[i], '/');
    if (slash != NULL)
      snprintf(path, sizeof path, "%s/workloads/%s.ptx", source, names[i]);
    else
      snprintf(path, sizeof path, "%s/workloads/%s/%s.ptx", source, names[i], names[i]);
    assert_int_equal(weir_file_read(path, 0, NULL, &text, &len, NULL), WEIR_OK);
    struct ptx_module *m = parse(text, len);
    char *tagged = retagged(m, WEIR_HINT_NONE);
    size_t at = 0, n_tags = 0;
    for (const char *p = tagged; *p != 0;) {
      if (*p == text[at] && strncmp(p, ".cg.", 4) != 0 && strncmp(p, ".ca.", 4) != 0) {
        p++;
        at++;
        continue;
      }
      if (strncmp(p, ".ca.", 4) != 0 && strncmp(p, ".cg.", 4) != 0)
        fail_msg("%s: '%.60s', not '%.60s'", names[i], p, text + at);
      if (p[2] == 'g' && strncmp(text + at, ".nc.", 4) == 0) at += 3;
      p += 3;
      n_tags++;
    }
    assert_int_equal(at, len);
    assert_true(n_tags > 0);
    free(tagged);
    ptx_module_free(m);
    free(text);
  }
}

int main(int argc, char **argv) {
  void *source = argc > 1 ? argv[1] : NULL;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(places),     cmocka_unit_test(priorities),
      cmocka_unit_test(versions),   cmocka_unit_test(surroundings),
      cmocka_unit_test(left_alone), cmocka_unit_test_prestate(workloads, source)};
  return cmocka_run_group_tests_name("retag", tests, NULL, NULL);
}
