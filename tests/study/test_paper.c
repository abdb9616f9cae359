/* Paper files, expressions about their tables, and verdicts. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "study/paper_table.h"

static const char *root;

static struct weir_paper load_good(void) {
  char path[4096];
  struct weir_paper p;
  struct weir_err err;
  snprintf(path, sizeof path, "%s/tests/study/papers/good.yaml", root);
  if (weir_paper_load(path, &p, &err) != WEIR_OK) fail_msg("%s", err.msg);
  return p;
}

static const char *name_of(const struct weir_paper *p, const struct weir_paper_figure *f,
                           size_t i) {
  return p->columns[f->columns[i]].name;
}

static void reads(void **state) {
  (void)state;
  struct weir_paper p = load_good();
  assert_string_equal(p.name, "P");
  assert_int_equal(p.n_rows, 4);
  assert_null(p.rows[3].workload);
  assert_int_equal(p.n_columns, 5); /* with control and bound */
  assert_int_equal(p.n_open, 2);
  assert_string_equal(p.columns[2].sets[1], "l1.ways=8");
  const struct weir_paper_figure *f = &p.figures[0];
  assert_int_equal(f->show, WEIR_SHOW_SPEEDUP);
  assert_int_equal(f->n_rows, 3);
  assert_int_equal(f->n_columns, 5); /* baseline, the column, its other reading, control, bound */
  assert_string_equal(name_of(&p, f, 0), "BL");
  assert_string_equal(name_of(&p, f, 2), "Other");
  assert_string_equal(name_of(&p, f, 4), "bound");
  assert_int_equal(f->baseline, 0);
  assert_int_equal(f->claims[0].as, WEIR_AS_GAIN);
  assert_string_equal(f->claims[0].column, "New one");
  assert_string_equal(f->claims[1].column, "New one");
  assert_true(weir_paper_printed(f, 1, 1) == 1.5);
  assert_true(isnan(weir_paper_printed(f, 0, 1)));
  assert_true(isnan(weir_paper_printed(f, SIZE_MAX, 0)));
  f = &p.figures[1];
  assert_string_equal(p.rows[f->rows[0]].name, "C");
  assert_int_equal(f->n_columns, 3);
  assert_int_equal(f->claims[0].as, WEIR_AS_SHARE);
  assert_int_equal(f->claims[0].n_causes, 2);
  assert_string_equal(f->claims[0].causes[0].shows, "1 + 1");
  assert_null(f->claims[0].causes[1].shows);
  assert_int_equal(p.figures[0].claims[0].n_causes, 0);
  assert_int_equal(p.figures[2].n_columns, 0);
  weir_paper_free(&p);
}

/* A change to the good file, and a part of what must be said. */
static const struct {
  const char *was, *is, *says;
} bad[] = {
    {"weir-paper: 1", "weir-paper: 2", "version '2'"},
    {"weir-paper: 1\n", "weir-paper: 1\nmore: 1\n", "unknown key 'more'"},
    {"{says: so}", "{said: so}", "unknown key 'said'"},
    {"{says: so}", "{shows: so}", "'says' is missing"},
    {"{says: so}", "so", "map"},
    {"baseline: BL", "baseline: BM", "there is no column 'BM'"},
    {"columns: [New one]", "columns: [New on]", "did you mean 'New one'"},
    {"rows: [one, C]", "rows: [one, E]", "group or application 'E'"},
    {"rows: [one, C]", "rows: [one, A]", "group or application 'A'"},
    {"paper: 1.2", "paper: much", "much"},
    {", paper: 1.2", "", "give 'ours' with 'paper'"},
    {"ours: gm('New one'), paper: 1.2", "as: gain", "nothing says whether"},
    {"show: value", "show: valueX", "did you mean 'value'"},
    {"    value: 2.0 * [l1.loads] / [cycles]\n", "", "'value' is missing"},
    {"not_comparable: it needs a layout", "ours: 1, paper: 1", "the figure has no columns"},
    {"instead_of: New one", "instead_of: New", "there is no column 'New'"},
    {"{B: 1.5}", "{E: 1.5}", "there is no application 'E'"},
    {"scheme: tsc}", "schema: tsc}", "unknown key 'schema'"},
};

static void refuses(void **state) {
  (void)state;
  char path[4096], other[] = "/tmp/weir-paper-XXXXXX";
  char *text;
  size_t n;
  struct weir_err err;
  snprintf(path, sizeof path, "%s/tests/study/papers/good.yaml", root);
  assert_int_equal(weir_file_read(path, 1 << 20, NULL, &text, &n, &err), WEIR_OK);
  int fd = mkstemp(other);
  assert_true(fd >= 0);
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    struct weir_paper p;
    const char *at = strstr(text, bad[i].was);
    assert_non_null(at);
    FILE *f = fopen(other, "w");
    assert_non_null(f);
    fprintf(f, "%.*s%s%s", (int)(at - text), text, bad[i].is, at + strlen(bad[i].was));
    fclose(f);
    if (weir_paper_load(other, &p, &err) == WEIR_OK) fail_msg("'%s' was taken", bad[i].is);
    if (strstr(err.msg, bad[i].says) == NULL) fail_msg("'%s': %s", bad[i].is, err.msg);
  }
  remove(other);
  free(text);
}

/* Figure 1 with speed-ups by hand: rows A, B, C; columns BL, New one, Other, random, bound. */
static const double shown[3][5] = {
    {1, 1.1, 1.3, 1.0, 1.2}, {1, 1.6, 1.7, 1.6, 2.0}, {1, NAN, 2, 1, 1}};

static void fill(struct weir_paper_table *t) {
  for (size_t r = 0; r < 3; r++)
    for (size_t c = 0; c < 5; c++) {
      struct weir_paper_cell *cell = weir_paper_cell(t, r, c);
      cell->shown = shown[r][c];
      cell->why = isnan(shown[r][c]) ? "failed" : NULL;
    }
}

static double eval(struct weir_paper_table *t, const char *expression, size_t reading) {
  struct weir_err err;
  double x;
  if (weir_paper_eval(t, expression, reading, NULL, &x, &err) != WEIR_OK) fail_msg("%s", err.msg);
  return x;
}

static void computes(void **state) {
  (void)state;
  struct weir_paper p = load_good();
  struct weir_paper_table t;
  struct weir_err err;
  double x;
  assert_int_equal(weir_paper_table_open(&t, &p, &p.figures[0], &err), WEIR_OK);
  fill(&t);
  static const struct {
    const char *expression;
    double value;
  } of[] = {{"v('B', 'New one')", 1.6},
            {"am('New one')", 1.35},
            {"am('New one', 'A')", 1.1},
            {"top('Other')", 2},
            {"low('Other', 'one')", 1.3},
            {"n('New one')", 2},
            {"n('Other')", 3},
            {"n_above('New one', 'random')", 1},
            {"n_above('Other', 1.3)", 2},
            {"gm('New one') > 1.3 AND gm('New one') < 1.35", 1}};
  for (size_t i = 0; i < sizeof of / sizeof of[0]; i++)
    assert_true(fabs(eval(&t, of[i].expression, SIZE_MAX) - of[i].value) < 1e-12);
  assert_true(fabs(eval(&t, "gm('New one')", SIZE_MAX) - sqrt(1.1 * 1.6)) < 1e-12);
  assert_true(fabs(eval(&t, "top('New one')", 2) - 2) < 1e-12); /* as the other reading */
  assert_true(fabs(eval(&t, "top('New one')", SIZE_MAX) - 1.6) < 1e-12);
  assert_true(isnan(eval(&t, "v('C', 'New one')", SIZE_MAX)));
  t.sketches[1] = "a sketch";
  assert_true(fabs(eval(&t, "top('New one')", SIZE_MAX) - 1.1) < 1e-12);
  assert_true(isnan(eval(&t, "v('B', 'New one')", SIZE_MAX)));
  static const char *const wrong[] = {"gm('New')", "v('E', 'BL')", "am('BL', 'three')", "gm(", "x"};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
    assert_int_equal(weir_paper_eval(&t, wrong[i], SIZE_MAX, NULL, &x, &err), WEIR_EINVAL);
  weir_paper_table_close(&t);
  weir_paper_free(&p);
}

static void judges(void **state) {
  (void)state;
  static const struct {
    enum weir_claim_as as;
    double paper, ours;
    enum weir_verdict verdict;
  } of[] = {
      {WEIR_AS_GAIN, 1.3, 1.3, WEIR_REPRODUCED},    {WEIR_AS_GAIN, 1.3, 1.21, WEIR_REPRODUCED},
      {WEIR_AS_GAIN, 1.3, 1.19, WEIR_DIRECTION},    {WEIR_AS_GAIN, 1.3, 1.44, WEIR_REPRODUCED},
      {WEIR_AS_GAIN, 1.3, 1.46, WEIR_DIRECTION},    {WEIR_AS_GAIN, 1.3, 1.009, WEIR_NOT},
      {WEIR_AS_GAIN, 1.3, 0.9, WEIR_NOT},           {WEIR_AS_GAIN, 0.8, 0.85, WEIR_REPRODUCED},
      {WEIR_AS_GAIN, 0.8, 0.9, WEIR_DIRECTION},     {WEIR_AS_GAIN, 1.005, 0.995, WEIR_REPRODUCED},
      {WEIR_AS_GAIN, 1.0, 1.02, WEIR_NOT},          {WEIR_AS_SHARE, 0.09, 0.18, WEIR_REPRODUCED},
      {WEIR_AS_SHARE, 0.4, 0.7, WEIR_DIRECTION},    {WEIR_AS_SHARE, 0.4, 0.9, WEIR_NOT},
      {WEIR_AS_NUMBER, 100, 109, WEIR_REPRODUCED},  {WEIR_AS_NUMBER, 100, 51, WEIR_DIRECTION},
      {WEIR_AS_NUMBER, 100, 49, WEIR_NOT},          {WEIR_AS_NUMBER, -5, 5, WEIR_NOT},
      {WEIR_AS_GAIN, 1.3, NAN, WEIR_NOT_COMPARABLE}};
  for (size_t i = 0; i < sizeof of / sizeof of[0]; i++)
    if (weir_judge_number(of[i].as, of[i].paper, of[i].ours) != of[i].verdict)
      fail_msg("case %zu: paper %g, ours %g", i, of[i].paper, of[i].ours);
  assert_int_equal(weir_judge_holds(2, 2), WEIR_REPRODUCED);
  assert_int_equal(weir_judge_holds(1, 2), WEIR_DIRECTION);
  assert_int_equal(weir_judge_holds(1, 3), WEIR_NOT);
  assert_int_equal(weir_judge_holds(0, 1), WEIR_NOT);
}

static void judges_claims(void **state) {
  (void)state;
  struct weir_paper p = load_good();
  struct weir_paper_table t;
  struct weir_judged j;
  struct weir_err err;
  assert_int_equal(weir_paper_table_open(&t, &p, &p.figures[0], &err), WEIR_OK);
  fill(&t);
  assert_int_equal(weir_paper_judge(&t, &p.figures[0].claims[0], &j, &err), WEIR_OK);
  assert_int_equal(j.verdict, WEIR_DIRECTION); /* 1.327 for 1.2 */
  assert_true(fabs(j.low - sqrt(1.1 * 1.6)) < 1e-12);
  assert_true(fabs(j.high - cbrt(1.3 * 1.7 * 2)) < 1e-12);
  assert_int_equal(j.asked, 3);
  assert_int_equal(j.missing, 1);
  assert_int_equal(weir_paper_judge(&t, &p.figures[0].claims[1], &j, &err), WEIR_OK);
  assert_int_equal(j.verdict, WEIR_REPRODUCED); /* what is known of it */
  assert_int_equal(j.held, 1);
  t.sketches[0] = t.sketches[1] = "a sketch"; /* more than half is missing */
  assert_int_equal(weir_paper_judge(&t, &p.figures[0].claims[0], &j, &err), WEIR_OK);
  assert_int_equal(j.verdict, WEIR_NOT_COMPARABLE);
  weir_paper_table_close(&t);
  weir_paper_free(&p);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(reads), cmocka_unit_test(refuses),
                                     cmocka_unit_test(computes), cmocka_unit_test(judges),
                                     cmocka_unit_test(judges_claims)};
  if (argc != 2) return 2;
  root = argv[1];
  return cmocka_run_group_tests(tests, NULL, NULL);
}
