/* Whether a claim came true. The rules are those of docs/paper-files.md, the same for all papers.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "study/paper_table.h"

#define NO_GAIN    0.01 /* below, there is none */
#define GAIN_SHARE 1.5
#define POINTS     0.10
#define NEAR       0.10
#define FACTOR     2.0

const char *weir_verdict_name(enum weir_verdict v) {
  static const char *const names[WEIR_N_VERDICTS] = {
      "reproduced", "direction only", "not reproduced", "not comparable", "not run yet"};
  return names[v];
}

static enum weir_verdict judge_gain(double paper, double ours) {
  double p = paper - 1, x = ours - 1;
  if (fabs(p) < NO_GAIN) return fabs(x) < NO_GAIN ? WEIR_REPRODUCED : WEIR_NOT;
  if ((p > 0) != (x > 0) || fabs(x) < NO_GAIN) return WEIR_NOT;
  double share = x / p;
  return share >= 1 / GAIN_SHARE && share <= GAIN_SHARE ? WEIR_REPRODUCED : WEIR_DIRECTION;
}

static bool is_within_factor(double paper, double ours) {
  return paper * ours > 0 && ours / paper <= FACTOR && ours / paper >= 1 / FACTOR;
}

enum weir_verdict weir_judge_number(enum weir_claim_as as, double paper, double ours) {
  bool is_near = false;
  if (isnan(paper) || isnan(ours)) return WEIR_NOT_COMPARABLE;
  switch (as) {
  case WEIR_AS_GAIN:
    return judge_gain(paper, ours);
  case WEIR_AS_SHARE:
    is_near = fabs(ours - paper) <= POINTS;
    break;
  case WEIR_AS_NUMBER:
    is_near = fabs(ours - paper) <= NEAR * fabs(paper);
    break;
  }
  if (is_near) return WEIR_REPRODUCED;
  return is_within_factor(paper, ours) ? WEIR_DIRECTION : WEIR_NOT;
}

enum weir_verdict weir_judge_holds(size_t held, size_t of) {
  if (held == of) return WEIR_REPRODUCED;
  return 2 * held >= of && held > 0 ? WEIR_DIRECTION : WEIR_NOT;
}

static void widen(struct weir_judged *j, double x) {
  if (isnan(x)) return;
  if (isnan(j->low) || x < j->low) j->low = x;
  if (isnan(j->high) || x > j->high) j->high = x;
}

static enum weir_status judge_number(struct weir_paper_table *t, const struct weir_paper_claim *c,
                                     struct weir_judged *out, struct weir_err *err) {
  enum weir_status st = weir_paper_eval(t, c->ours, SIZE_MAX, &c->where, &out->ours, err);
  bool any = false;
  out->asked = t->n_asked;
  out->missing = t->n_missing;
  out->uncounted = t->n_uncounted;
  out->left = t->n_left;
  for (size_t k = 0; st == WEIR_OK && k < t->figure->n_columns; k++) {
    const struct weir_paper_column *column = &t->paper->columns[t->figure->columns[k]];
    double x;
    if (column->instead_of == NULL || c->column == NULL ||
        strcmp(column->instead_of, c->column) != 0)
      continue;
    st = weir_paper_eval(t, c->ours, k, &c->where, &x, err);
    if (st == WEIR_OK) widen(out, x);
    any = true;
  }
  if (any) widen(out, out->ours);
  out->verdict = weir_judge_number(c->as, c->paper, out->ours);
  return st;
}

static enum weir_status judge_holds(struct weir_paper_table *t, const struct weir_paper_claim *c,
                                    struct weir_judged *out, struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  size_t known = 0;
  for (size_t i = 0; st == WEIR_OK && i < c->n_holds; i++) {
    double x;
    st = weir_paper_eval(t, c->holds[i], SIZE_MAX, &c->where, &x, err);
    known += isnan(x) ? 0 : 1;
    out->asked += t->n_asked;
    out->missing += t->n_missing;
    out->uncounted += t->n_uncounted;
    out->left += t->n_left;
    out->held += !isnan(x) && x != 0 ? 1 : 0;
  }
  out->verdict = known > 0 ? weir_judge_holds(out->held, known) : WEIR_NOT_COMPARABLE;
  return st;
}

enum weir_status weir_paper_judge(struct weir_paper_table *t, const struct weir_paper_claim *c,
                                  struct weir_judged *out, struct weir_err *err) {
  *out = (struct weir_judged){.verdict = WEIR_NOT_COMPARABLE, .ours = NAN, .low = NAN, .high = NAN};
  if (c->not_comparable != NULL) return WEIR_OK;
  enum weir_status st =
      c->ours != NULL ? judge_number(t, c, out, err) : judge_holds(t, c, out, err);
  if (2 * out->missing > out->asked) out->verdict = WEIR_NOT_COMPARABLE;
  if (out->left > 0) out->verdict = WEIR_NOT_RUN;
  return st;
}
