#include "report/paper.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/table.h"

static enum weir_status no_memory(struct weir_err *err) {
  return weir_fail(err, WEIR_ENOMEM, "out of memory");
}

static bool is_markdown(enum weir_paper_format f) {
  return f == WEIR_PAPER_MARKDOWN;
}

enum weir_status weir_paper_head(const struct weir_paper *p, enum weir_paper_format format,
                                 struct weir_text *out, struct weir_err *err) {
  weir_text_printf(out, "%s%s: %s\n\n", is_markdown(format) ? "## " : "", p->name, p->title);
  if (p->about != NULL) weir_text_printf(out, "%s\n\n", p->about);
  if (p->n_open > 0) weir_text_printf(out, "What the paper leaves open:\n\n");
  for (size_t i = 0; i < p->n_open; i++)
    weir_text_printf(out, "- %s\n", p->open[i]);
  if (p->n_open > 0) weir_text_printf(out, "\n");
  return out->failed ? no_memory(err) : WEIR_OK;
}

/* ---- the table ---- */

static const struct weir_paper_row *row_of(const struct weir_paper_table *t, size_t row) {
  return &t->paper->rows[t->figure->rows[row]];
}

static const struct weir_paper_column *column_of(const struct weir_paper_table *t, size_t column) {
  return &t->paper->columns[t->figure->columns[column]];
}

static void put_number(struct weir_table *table, double x) {
  if (isnan(x))
    weir_table_cell(table, "-");
  else
    weir_table_cell(table, fabs(x) < 1000 ? "%.3f" : "%.0f", x);
}

/* Does the paper have numbers for it? */
static bool is_printed(const struct weir_paper_figure *f, size_t column) {
  return !isnan(weir_paper_printed(f, SIZE_MAX, column));
}

static void put_row(const struct weir_paper_table *t, struct weir_table *table, size_t r) {
  const struct weir_paper_row *row = row_of(t, r);
  weir_table_cell(table, "%s", row->name);
  weir_table_cell(table, "%s%s", row->workload != NULL ? row->workload : "none",
                  t->sketches[r] != NULL && row->workload != NULL ? " (sketch)" : "");
  for (size_t c = 0; c < t->figure->n_columns; c++) {
    put_number(table, weir_paper_cell(t, r, c)->shown);
    if (is_printed(t->figure, c)) put_number(table, weir_paper_printed(t->figure, r, c));
  }
  weir_table_end_row(table);
}

static enum weir_status put_table(struct weir_paper_table *t, enum weir_paper_format format,
                                  struct weir_text *out, struct weir_err *err) {
  const struct weir_paper_figure *f = t->figure;
  struct weir_column columns[2 + 2 * WEIR_PAPER_COLUMNS];
  size_t n_columns = 2;
  columns[0] = (struct weir_column){"application", NULL, WEIR_LEFT};
  columns[1] = (struct weir_column){"workload", NULL, WEIR_LEFT};
  for (size_t c = 0; c < f->n_columns; c++) {
    columns[n_columns++] = (struct weir_column){column_of(t, c)->name, NULL, WEIR_RIGHT};
    if (is_printed(f, c)) columns[n_columns++] = (struct weir_column){"printed", NULL, WEIR_RIGHT};
  }
  struct weir_table *table = weir_table_new(columns, n_columns);
  if (table == NULL) return no_memory(err);
  for (size_t r = 0; r < f->n_rows; r++)
    put_row(t, table, r);
  weir_table_rule(table);
  weir_table_cell(table, f->show == WEIR_SHOW_VALUE ? "mean" : "geometric mean");
  weir_table_cell(table, "%s", "");
  for (size_t c = 0; c < f->n_columns; c++) {
    size_t n;
    put_number(table, weir_paper_mean(t, c, &n));
    if (is_printed(f, c)) weir_table_cell(table, "%s", "");
  }
  weir_table_end_row(table);
  enum weir_status st =
      is_markdown(format) ? weir_table_markdown(table, out, err) : weir_table_text(table, out, err);
  weir_table_free(table);
  return st;
}

/* ---- reasons ---- */

/* Mean of a statistic over the rows that count and have it in both columns. */
static double mean_of(const struct weir_paper_table *t, size_t column, const char *name) {
  double sum = 0;
  size_t n = 0;
  for (size_t r = 0; r < t->figure->n_rows; r++) {
    double x = t->sketches[r] == NULL ? weir_paper_stat(t, r, column, name) : NAN;
    if (isnan(x)) continue;
    sum += x;
    n++;
  }
  return n > 0 ? sum / (double)n : NAN;
}

static void put_change(const struct weir_paper_table *t, size_t column, const char *what,
                       const char *name, struct weir_text *out) {
  double was = mean_of(t, t->figure->baseline, name), is = mean_of(t, column, name);
  if (!isnan(was) && !isnan(is))
    weir_text_printf(out, "; %s %.1f to %.1f %%", what, 100 * was, 100 * is);
}

/* What the statistics say of a design: it, the baseline, chance and the bound. */
static void put_reason(struct weir_paper_table *t, const struct weir_paper_claim *claim,
                       const struct weir_judged *j, bool *is_chance, struct weir_text *out) {
  const struct weir_paper_figure *f = t->figure;
  size_t column = weir_paper_place(t, claim->column), n;
  size_t control = weir_paper_place(t, t->paper->control);
  size_t bound = weir_paper_place(t, t->paper->bound);
  *is_chance = false;
  if (column == SIZE_MAX || f->baseline == SIZE_MAX || column == f->baseline) return;
  put_change(t, column, "L1 hits of all loads", "derived.hit_rate_stream", out);
  put_change(t, column, "bypassed", "derived.bypass_rate", out);
  put_change(t, column, "stalled cycles", "derived.stall_frac", out);
  if (f->show != WEIR_SHOW_SPEEDUP || control == SIZE_MAX) return;
  double own = weir_paper_mean(t, column, &n), chance = weir_paper_mean(t, control, &n);
  if (isnan(own) || isnan(chance)) return;
  weir_text_printf(out, "; mean %.3f, by chance %.3f", own, chance);
  double most = bound != SIZE_MAX ? weir_paper_mean(t, bound, &n) : (double)NAN;
  if (!isnan(most)) weir_text_printf(out, ", bound %.3f", most);
  *is_chance = own > 1 && chance >= own && j->verdict < WEIR_NOT;
  if (*is_chance) weir_text_printf(out, ": chance has this gain, too");
}

/* ---- claims ---- */

static void put_ours(const struct weir_paper_claim *c, const struct weir_judged *j,
                     struct weir_text *out) {
  if (c->not_comparable != NULL) {
    weir_text_printf(out, "%s", c->not_comparable);
    return;
  }
  if (c->ours != NULL && isnan(j->ours))
    weir_text_printf(out, "No value");
  else if (c->ours != NULL)
    weir_text_printf(out, "Paper %.4g, here %.4g", c->paper, j->ours);
  else
    weir_text_printf(out, "%zu of %zu conditions hold", j->held, c->n_holds);
  if (!isnan(j->low) && j->low < j->high)
    weir_text_printf(out, " (%.4g to %.4g over what is open)", j->low, j->high);
  if (j->uncounted > 0)
    weir_text_printf(out, "; %zu of %zu cells do not count (a sketch, or no workload)",
                     j->uncounted, j->asked);
  if (j->missing > j->uncounted)
    weir_text_printf(out, "; %zu of %zu cells missing", j->missing - j->uncounted, j->asked);
}

/* Of a claim that is reproduced nothing has to be explained. */
static enum weir_status put_causes(struct weir_paper_table *t, const struct weir_paper_claim *c,
                                   const struct weir_judged *j, struct weir_text *out,
                                   struct weir_err *err) {
  if (j->verdict != WEIR_DIRECTION && j->verdict != WEIR_NOT) return WEIR_OK;
  for (size_t i = 0; i < c->n_causes; i++) {
    const struct weir_paper_cause *cause = &c->causes[i];
    double x = NAN;
    if (cause->shows != NULL) {
      enum weir_status st = weir_paper_eval(t, cause->shows, SIZE_MAX, &cause->where, &x, err);
      if (st != WEIR_OK) return st;
    }
    weir_text_printf(out, ". Because %s", cause->says);
    if (cause->shows != NULL && isnan(x)) weir_text_puts(out, ": not run yet");
    if (!isnan(x)) weir_text_printf(out, ": %.4g", x);
  }
  return WEIR_OK;
}

/* Claims are numbered through a paper, whichever figures are shown. */
static size_t number_of(const struct weir_paper_table *t, const struct weir_paper_claim *c) {
  size_t n = 1;
  for (const struct weir_paper_figure *f = t->paper->figures; f != t->figure; f++)
    n += f->n_claims;
  return n + (size_t)(c - t->figure->claims);
}

static enum weir_style style_of(enum weir_verdict v) {
  if (v == WEIR_REPRODUCED) return WEIR_BEST;
  return v == WEIR_DIRECTION ? WEIR_GAIN : v == WEIR_NOT ? WEIR_LOSS : WEIR_DIM;
}

static enum weir_status put_claim(struct weir_paper_table *t, const struct weir_paper_claim *c,
                                  enum weir_paper_format format, struct weir_paper_counts *counts,
                                  struct weir_text *out, struct weir_err *err) {
  struct weir_judged j;
  bool is_chance = false;
  enum weir_status st = weir_paper_judge(t, c, &j, err);
  if (st != WEIR_OK) return st;
  const char *strong = is_markdown(format) ? "**" : "";
  weir_text_printf(out, "- %s-%zu %s", t->paper->name, number_of(t, c), strong);
  weir_text_style(out, style_of(j.verdict));
  weir_text_puts(out, weir_verdict_name(j.verdict));
  weir_text_style(out, WEIR_PLAIN);
  weir_text_printf(out, "%s: %s. ", strong, c->says);
  put_ours(c, &j, out);
  if (c->not_comparable == NULL) put_reason(t, c, &j, &is_chance, out);
  st = put_causes(t, c, &j, out, err);
  if (st != WEIR_OK) return st;
  weir_text_puts(out, ".\n");
  counts->n[j.verdict]++;
  counts->by_chance += is_chance;
  return out->failed ? no_memory(err) : WEIR_OK;
}

enum weir_status weir_paper_figure(struct weir_paper_table *t, enum weir_paper_format format,
                                   struct weir_paper_counts *counts, struct weir_text *out,
                                   struct weir_err *err) {
  static const char *const what[] = {"Speed-up over ", "Relative to ", "Value"};
  const struct weir_paper_figure *f = t->figure;
  enum weir_status st = WEIR_OK;
  weir_text_style(out, WEIR_BOLD);
  weir_text_printf(out, "%s%s: %s\n\n", is_markdown(format) ? "### " : "", f->id, f->title);
  weir_text_style(out, WEIR_PLAIN);
  if (f->n_columns > 0) {
    weir_text_printf(out, "%s%s on %s%s%s.%s%s\n\n", what[f->show],
                     f->show == WEIR_SHOW_VALUE ? ""
                     : f->baseline != SIZE_MAX  ? column_of(t, f->baseline)->name
                                                : "nothing",
                     f->gpu, f->value != NULL ? ": " : "", f->value != NULL ? f->value : "",
                     f->note != NULL ? " " : "", f->note != NULL ? f->note : "");
    st = put_table(t, format, out, err);
    weir_text_puts(out, "\n");
  }
  for (size_t i = 0; st == WEIR_OK && i < f->n_claims; i++)
    st = put_claim(t, &f->claims[i], format, counts, out, err);
  weir_text_puts(out, "\n");
  return st;
}

void weir_paper_sum(const struct weir_paper_counts *c, struct weir_text *out) {
  size_t all = 0;
  for (size_t v = 0; v < WEIR_N_VERDICTS; v++)
    all += c->n[v];
  weir_text_printf(out, "%zu claims:", all);
  for (size_t v = 0; v < WEIR_N_VERDICTS; v++)
    if (v != WEIR_NOT_RUN || c->n[v] > 0)
      weir_text_printf(out, "%s %zu %s", v > 0 ? "," : "", c->n[v],
                       weir_verdict_name((enum weir_verdict)v));
  if (c->by_chance > 0) weir_text_printf(out, "; %zu gains that chance has, too", c->by_chance);
  weir_text_puts(out, "\n");
}

void weir_paper_counts_head(struct weir_text *out) {
  weir_text_puts(out, "| paper | claims |");
  for (size_t v = 0; v < WEIR_N_VERDICTS; v++)
    weir_text_printf(out, " %s |", weir_verdict_name((enum weir_verdict)v));
  weir_text_puts(out, " gains that chance has, too |\n| --- | ---: |");
  for (size_t v = 0; v <= WEIR_N_VERDICTS; v++)
    weir_text_puts(out, " ---: |");
  weir_text_puts(out, "\n");
}

void weir_paper_counts_row(const char *name, const struct weir_paper_counts *c,
                           struct weir_text *out) {
  size_t all = 0;
  for (size_t v = 0; v < WEIR_N_VERDICTS; v++)
    all += c->n[v];
  weir_text_printf(out, "| %s | %zu |", name, all);
  for (size_t v = 0; v < WEIR_N_VERDICTS; v++)
    weir_text_printf(out, " %zu |", c->n[v]);
  weir_text_printf(out, " %zu |\n", c->by_chance);
}
