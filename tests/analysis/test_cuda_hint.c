/* Hints into lines of CUDA: what becomes of a line, or why nothing does; then whole patches. */
#include <stdio.h>

#include "../base/testing.h"
#include "report/patch.h"

static const char begin[] =
    "__global__ void other(float *y) { y[0] = 1; }\n"
    "template <int N>\n"
    "__global__ void __launch_bounds__(256) k(const float *__restrict__ x,\n"
    "    float *y, const unsigned char *flag, struct s *odd,\n"
    "    const volatile int *now, double2 *pair, int n) {\n";
enum { LINE = 6 }; /* of what comes next */

enum param { X, Y, FLAG, ODD, NOW, PAIR, N };

struct result {
  char text[4096];
  const char *why;
  size_t n_helpers;
};

/* The line with the hint. */
static void hint(const char *line, enum param param, enum weir_hint what, struct result *r) {
  char source[4096];
  struct weir_arena arena = {0};
  struct weir_cuda_text t;
  struct weir_cuda_edits e = {.arena = &arena};
  struct weir_text out = {0};
  struct weir_err err;
  int n = snprintf(source, sizeof source, "%s%s\n}\n", begin, line);
  assert_true(weir_cuda_text_open(&t, source, (size_t)n));
  r->why = weir_cuda_hint(&t, &(struct weir_cuda_load){LINE, "k", param, what}, &e);
  r->n_helpers = e.helpers.n;
  e.helpers.n = 0;
  struct weir_patch p = {.source = &t, .name = "k.cu", .edits = &e};
  assert_int_equal(weir_patch_text(&p, &out, &err), WEIR_OK);
  r->text[0] = 0;
  for (const char *at = out.v; at != NULL && (at = strstr(at, "\n+")) != NULL; at++)
    if (at[2] != '+') snprintf(r->text, sizeof r->text, "%.*s", (int)strcspn(at + 2, "\n"), at + 2);
  weir_text_free(&out);
  weir_cuda_edits_free(&e);
  weir_cuda_text_close(&t);
  weir_arena_free(&arena);
}

static void assert_hint(const char *line, enum param param, enum weir_hint what, const char *want) {
  struct result r;
  hint(line, param, what, &r);
  if (r.why != NULL) fail_msg("'%s': %s", line, r.why);
  assert_string_equal(r.text, want);
}

static void assert_left(const char *line, enum param param, const char *why) {
  struct result r;
  hint(line, param, WEIR_HINT_CG, &r);
  if (r.why == NULL) fail_msg("'%s' became '%s'", line, r.text);
  assert_contains(r.why, why);
  assert_string_equal(r.text, "");
}

static void reads(void **state) {
  (void)state;
  assert_hint("  float a = x[i];", X, WEIR_HINT_CG, "  float a = __ldcg(&x[i]);");
  assert_hint("  float a = x[i] + x[n - x[0]];", X, WEIR_HINT_CG,
              "  float a = __ldcg(&x[i]) + __ldcg(&x[n - __ldcg(&x[0])]);");
  assert_hint("  y[i] = *x * 2;", X, WEIR_HINT_CA, "  y[i] = __ldca(x) * 2;");
  assert_hint("  return x == 0 || *x > 1;", X, WEIR_HINT_CG, "  return x == 0 || __ldcg(x) > 1;");
  assert_hint("  a = __ldg(&x[i]);", X, WEIR_HINT_CG, "  a = __ldcg(&x[i]);");
  assert_hint("  a = x[i]; // x[i] of \"x[i]\"", X, WEIR_HINT_NO_ALLOCATE,
              "  a = weir_ld_no_allocate_nc(&x[i]); // x[i] of \"x[i]\"");
  assert_hint("  y[i] = fmaf(x[i], y[i], y [i + 1]);", Y, WEIR_HINT_CG,
              "  y[i] = fmaf(x[i], weir_ld_cg(&y[i]), weir_ld_cg(&y [i + 1]));");
  assert_hint("  if (y[i] == 0) y[i] = 1;", Y, WEIR_HINT_EVICT_LAST,
              "  if (weir_ld_evict_last(&y[i]) == 0) y[i] = 1;");
  assert_hint("  s.y[0] = q->y[i] + y[i];", Y, WEIR_HINT_CG,
              "  s.y[0] = q->y[i] + weir_ld_cg(&y[i]);");
  assert_hint("  atomicAdd(&y[j], (float)flag[i]);", FLAG, WEIR_HINT_CG,
              "  atomicAdd(&y[j], (float)weir_ld_cg(&flag[i]));");
  assert_hint("  double2 p = pair[i];", PAIR, WEIR_HINT_CG, "  double2 p = weir_ld_cg(&pair[i]);");
  /* const: a function cannot write through its argument */
  assert_hint("  f(x[i]);", X, WEIR_HINT_CG, "  f(__ldcg(&x[i]));");
}

static void helpers(void **state) {
  struct result r;
  (void)state;
  hint("  a = x[i];", X, WEIR_HINT_CG, &r);
  assert_int_equal(r.n_helpers, 0);
  hint("  a = x[i];", X, WEIR_HINT_EVICT_LAST, &r);
  assert_int_equal(r.n_helpers, 1);
  hint("  a = y[i] + y[j];", Y, WEIR_HINT_CG, &r);
  assert_int_equal(r.n_helpers, 1);
}

static void left_alone(void **state) {
  (void)state;
  static const char *const not_understood[] = {"  y[i] += 1;",
                                               "  y[i]++;",
                                               "  --y[i];",
                                               "  a = y[i]++ + 1;",
                                               "  swap(y[i], y[j]);",
                                               "  float &r = y[i];",
                                               "  a = n * *y++;",
                                               "  a = y[i] = 1, y[j]--;",
                                               "  auto &r = y[i];",
                                               "  y[i] <<= 1;",
                                               "  y[i].f();",
                                               "  a = b *y;",
                                               "  const float &r = *y;",
                                               "  a = y[i][j];",
                                               "  a = y[i]->next;",
                                               "  a = b&y[i], y[i]++;"};
  for (size_t i = 0; i < COUNT(not_understood); i++)
    assert_left(not_understood[i], Y, "not understood");
  assert_left("  y[i] = 1;", Y, "does not read it");
  assert_left("  atomicAdd(&y[i], 1);", Y, "does not read it");
  assert_left("  a = row[i];", Y, "does not read it");
  assert_left("  // a = y[i]", Y, "no array");
  assert_left("  a = odd[i].f;", ODD, "its type");
  assert_left("  a = now[i];", NOW, "its type");
  assert_left("  a = n;", N, "no array");
  assert_left("  float *y = shared; a = y[i];", Y, "something else");
  assert_left("  y = shared; a = y[i];", Y, "something else");
  assert_left("  for (float y : list) a = y[i];", Y, "something else");
}

/* The kernel is the one around the line. */
static void kernels(void **state) {
  (void)state;
  static const char source[] = "extern \"C\" __global__ void k(int *a);\n"
                               "__device__ int f(int *a) { return a[0]; }\n"
                               "__global__ void k(int *a) {\n"
                               "  a[1] = a[0];\n"
                               "}\n";
  struct weir_arena arena = {0};
  struct weir_cuda_text t;
  struct weir_cuda_edits e = {.arena = &arena};
  assert_true(weir_cuda_text_open(&t, source, sizeof source - 1));
  assert_non_null(weir_cuda_hint(&t, &(struct weir_cuda_load){2, "k", 0, WEIR_HINT_CG}, &e));
  assert_non_null(weir_cuda_hint(&t, &(struct weir_cuda_load){4, "f", 0, WEIR_HINT_CG}, &e));
  assert_non_null(weir_cuda_hint(&t, &(struct weir_cuda_load){4, "k", 1, WEIR_HINT_CG}, &e));
  assert_non_null(weir_cuda_hint(&t, &(struct weir_cuda_load){9, "k", 0, WEIR_HINT_CG}, &e));
  assert_null(weir_cuda_hint(&t, &(struct weir_cuda_load){4, "k", 0, WEIR_HINT_CG}, &e));
  assert_int_equal(e.list.n, 2);
  weir_cuda_edits_free(&e);
  weir_cuda_text_close(&t);
  weir_arena_free(&arena);
}

/* Hunks: near changes are one, far ones two; a comment does not go between lines of a macro; a last
 * line without an end stays so. */
static void patches(void **state) {
  (void)state;
  static const char source[] = "1\n2\n3\n4\n5\n6\n7\n8\n9\n#define M \\\n  a\n12\n13";
  static const struct weir_patch_note notes[] = {{2, "// a"}, {11, "// b"}, {13, "// c"}};
  static const char want[] = "--- a/k.cu\n+++ b/k.cu\n"
                             "@@ -1,5 +1,6 @@\n 1\n+// a\n 2\n 3\n 4\n 5\n"
                             "@@ -7,7 +8,9 @@\n 7\n 8\n 9\n+// b\n #define M \\\n   a\n 12\n+// c\n"
                             " 13\n\\ No newline at end of file\n";
  struct weir_arena arena = {0};
  struct weir_cuda_text t;
  struct weir_cuda_edits e = {.arena = &arena};
  struct weir_text out = {0};
  struct weir_err err;
  assert_true(weir_cuda_text_open(&t, source, sizeof source - 1));
  struct weir_patch p = {&t, "k.cu", &e, notes, COUNT(notes)};
  assert_int_equal(weir_patch_text(&p, &out, &err), WEIR_OK);
  assert_string_equal(out.v, want);
  weir_text_free(&out);
  weir_cuda_text_close(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(reads), cmocka_unit_test(helpers),
                                     cmocka_unit_test(left_alone), cmocka_unit_test(kernels),
                                     cmocka_unit_test(patches)};
  return cmocka_run_group_tests_name("cuda_hint", tests, NULL, NULL);
}
