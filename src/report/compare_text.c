/* A study as tables and bars for a terminal. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/table.h"
#include "report/bar.h"
#include "report/compare.h"
#include "study/search.h"

struct view {
  const struct weir_study *s;
  size_t gpu, baseline;
  const struct weir_compare_mean *means; /* of each scheme */
  struct weir_text *out;
};

static enum weir_status no_memory(struct weir_err *err) {
  return weir_fail(err, WEIR_ENOMEM, "out of memory");
}

static void number(struct weir_table *t, const char *format, double v, const char *mark) {
  char text[32];
  snprintf(text, sizeof text, format, v);
  weir_table_cell(t, "%s%s", isnan(v) ? "-" : text, mark);
}

/* Means of fewer workloads than there are carry a mark. */
static const char *mark_of(const struct view *v, size_t scheme) {
  size_t n = v->means[scheme].n;
  return n > 0 && n < v->s->n_workloads ? "*" : "";
}

/* ---- speed-ups ---- */

/* Was it profiled on the very input that is timed? */
static bool is_marked(const struct view *v, size_t w, size_t scheme) {
  const struct weir_study_prep *prep = weir_study_prep(v->s, w, v->gpu, scheme);
  return prep != NULL && prep->n_made > 0 && prep->is_same_input;
}

/* What is above or below 1 by more than noise: by its interval, and where there is none by 2 %,
 * below which other repeats may say something else. */
static enum weir_style style_of(const struct weir_interval *i) {
  bool has_interval = !isnan(i->low);
  if (has_interval ? i->low > 1 : i->mean >= 1.02) return WEIR_GAIN;
  return (has_interval ? i->high < 1 : i->mean <= 0.98) ? WEIR_LOSS : WEIR_PLAIN;
}

/* With several repeats: mean, half of the interval, and whether it leaves open that there is no
 * difference. A scheme is not compared with itself. */
static void interval_cell(struct weir_table *t, const struct view *v, const struct weir_interval *i,
                          size_t scheme, const char *mark) {
  char text[64];
  bool is_open = weir_interval_is_open(i);
  if (isnan(i->low) || scheme == v->baseline) {
    number(t, "%.3f", i->mean, mark);
  } else {
    snprintf(text, sizeof text, "%.3f ±%.3f%s", i->mean, (i->high - i->low) / 2,
             is_open ? "≈" : "");
    weir_table_cell(t, "%s%s", text, mark);
  }
  if (scheme != v->baseline) weir_table_style(t, style_of(i));
}

static void failed_cell(struct weir_table *t) {
  weir_table_cell(t, "failed");
  weir_table_style(t, WEIR_LOSS);
}

static void speedup_cell(struct weir_table *t, const struct view *v, size_t w, size_t scheme) {
  const struct weir_run *run = weir_study_at(v->s, w, v->gpu, scheme);
  const struct weir_interval i = weir_compare_speedup(v->s, w, v->gpu, scheme, v->baseline);
  if (run->state == WEIR_RUN_FAILED)
    failed_cell(t);
  else
    interval_cell(t, v, &i, scheme, is_marked(v, w, scheme) ? "=" : "");
}

/* Of a scheme over another on a workload; on the one after the last: of all of them. */
static struct weir_interval ratio(const struct view *v, size_t w, size_t scheme, size_t other) {
  return w < v->s->n_workloads ? weir_compare_speedup(v->s, w, v->gpu, scheme, other)
                               : weir_compare_mean(v->s, v->gpu, scheme, other).speedup;
}

/* Does it take part, on the one or on all? */
static enum weir_run_state state_of(const struct view *v, size_t w, size_t scheme) {
  if (w < v->s->n_workloads) return weir_study_at(v->s, w, v->gpu, scheme)->state;
  return v->means[scheme].n > 0 ? WEIR_RUN_DONE : WEIR_RUN_FAILED;
}

/* Nobody can build it. */
static bool is_bound(const struct view *v, size_t scheme) {
  return weir_study_setup(v->s, v->gpu, scheme)->setup->scheme.role == WEIR_ROLE_BOUND;
}

/* The fastest scheme of a workload but for `other`, the first of equals, among those that came to
 * an end; SIZE_MAX: none did, or some have yet to run. */
static size_t best_but(const struct view *v, size_t w, size_t other) {
  size_t best = SIZE_MAX;
  for (size_t c = 0; c < weir_study_shown(v->s); c++) {
    enum weir_run_state state = state_of(v, w, c);
    if (state == WEIR_RUN_FAILED || c == other || is_bound(v, c)) continue;
    if (state != WEIR_RUN_DONE) return SIZE_MAX;
    if (best == SIZE_MAX || ratio(v, w, c, best).mean > 1) best = c;
  }
  return best;
}

/* And the second, if that may be as fast. */
static void best_cell(struct weir_table *t, const struct view *v, size_t w) {
  size_t best = best_but(v, w, SIZE_MAX), second = SIZE_MAX;
  if (best != SIZE_MAX && weir_study_repeats(v->s) > 1) second = best_but(v, w, best);
  struct weir_interval i = {(double)NAN, (double)NAN, (double)NAN};
  if (second != SIZE_MAX) i = ratio(v, w, best, second);
  bool is_open = weir_interval_is_open(&i);
  weir_table_cell(t, "%s%s%s", best != SIZE_MAX ? weir_study_label(v->s, best) : "-",
                  is_open ? " ≈ " : "", is_open ? weir_study_label(v->s, second) : "");
}

static void speedup_rows(struct weir_table *t, const struct view *v) {
  for (size_t w = 0; w < v->s->n_workloads; w++) {
    weir_table_cell(t, "%s", v->s->workloads[w].name);
    size_t best = best_but(v, w, SIZE_MAX);
    for (size_t c = 0; c < weir_study_shown(v->s); c++) {
      speedup_cell(t, v, w, c);
      if (c == best) weir_table_style(t, WEIR_BEST);
    }
    best_cell(t, v, w);
  }
  weir_table_rule(t);
  weir_table_cell(t, "geometric mean");
  for (size_t c = 0; c < weir_study_shown(v->s); c++)
    interval_cell(t, v, &v->means[c].speedup, c, mark_of(v, c));
  if (weir_study_repeats(v->s) > 1) best_cell(t, v, v->s->n_workloads);
  weir_table_end_row(t);
}

/* The input that all launch files use, or NULL. */
static const char *common_input(const struct weir_study *s) {
  const char *common = NULL;
  for (size_t w = 0; w < s->n_workloads; w++) {
    const char *input = s->workloads[w].input;
    if (s->workloads[w].is_trace) continue;
    if (input == NULL || (common != NULL && strcmp(input, common) != 0)) return NULL;
    common = input;
  }
  return common;
}

static enum weir_status speedup_table(const struct view *v, struct weir_err *err) {
  size_t n = weir_study_shown(v->s);
  struct weir_column *columns = weir_calloc(n + 2, sizeof *columns);
  if (columns == NULL) return no_memory(err);
  columns[0] = (struct weir_column){"workload", NULL, WEIR_LEFT};
  for (size_t c = 0; c < n; c++)
    columns[c + 1] = (struct weir_column){weir_study_label(v->s, c), NULL, WEIR_RIGHT};
  columns[n + 1] = (struct weir_column){"fastest", NULL, WEIR_LEFT};
  struct weir_table *t = weir_table_new(columns, n + 2);
  free(columns);
  if (t == NULL) return no_memory(err);
  speedup_rows(t, v);
  const char *input = common_input(v->s);
  weir_text_style(v->out, WEIR_BOLD);
  weir_text_printf(v->out, "%s%s%s: speed-up over %s", v->s->gpus[v->gpu],
                   input != NULL ? ", input " : "", input != NULL ? input : "",
                   weir_study_label(v->s, v->baseline));
  if (weir_study_repeats(v->s) > 1)
    weir_text_printf(v->out, ", mean of %zu repeats and 95 %% interval", weir_study_repeats(v->s));
  weir_text_style(v->out, WEIR_PLAIN);
  weir_text_puts(v->out, "\n");
  enum weir_status st = weir_table_text(t, v->out, err);
  weir_table_free(t);
  return st;
}

/* ---- bars ---- */

static void bars(const struct view *v) {
  enum { LONGEST = 40 };
  double most = 0;
  size_t width = 0;
  for (size_t c = 0; c < weir_study_shown(v->s); c++) {
    size_t n = weir_text_width(weir_study_label(v->s, c));
    if (v->means[c].speedup.mean > most) most = v->means[c].speedup.mean;
    if (n > width) width = n;
  }
  if (most == 0) return;
  weir_text_puts(v->out, "\n");
  for (size_t c = 0; c < weir_study_shown(v->s); c++) {
    char text[4 * LONGEST];
    const struct weir_interval *i = &v->means[c].speedup;
    if (isnan(i->mean)) continue;
    weir_text_printf(v->out, "  %s", weir_study_label(v->s, c));
    weir_text_pad(v->out, ' ', width - weir_text_width(weir_study_label(v->s, c)));
    weir_text_printf(v->out, "  %.3f  ", i->mean);
    if (!isnan(i->low)) weir_text_printf(v->out, "[%.3f, %.3f]  ", i->low, i->high);
    weir_text_printf(v->out, "%s\n", weir_bar(i->mean / most * LONGEST, text, sizeof text));
  }
}

/* ---- kernels ---- */

static void kernel_row(struct weir_table *t, const struct view *v, size_t w, size_t kernel) {
  const struct weir_run *base = weir_study_repeat(v->s, w, v->gpu, v->baseline, 0);
  const struct weir_run_kernel *k = &base->kernels[kernel];
  weir_table_cell(t, "%s", kernel == 0 ? v->s->workloads[w].name : "");
  weir_table_cell(t, "%s", k->name);
  weir_table_cell(t, "%" PRIu64, k->launches);
  number(t, "%.1f", 100 * (double)k->result.cycles / (double)base->sum.cycles, "");
  for (size_t c = 0; c < weir_study_shown(v->s); c++) {
    const struct weir_interval i = weir_compare_kernel(v->s, w, v->gpu, c, kernel, v->baseline);
    if (weir_study_at(v->s, w, v->gpu, c)->state == WEIR_RUN_FAILED)
      failed_cell(t);
    else
      interval_cell(t, v, &i, c, "");
  }
}

static enum weir_status kernel_table(const struct view *v, struct weir_err *err) {
  enum { FIRST = 4 };
  size_t n = weir_study_shown(v->s);
  struct weir_column *columns = weir_calloc(n + FIRST, sizeof *columns);
  if (columns == NULL) return no_memory(err);
  columns[0] = (struct weir_column){"workload", NULL, WEIR_LEFT};
  columns[1] = (struct weir_column){"kernel", NULL, WEIR_LEFT};
  columns[2] = (struct weir_column){"launches", NULL, WEIR_RIGHT};
  columns[3] = (struct weir_column){"cycles", "% of run", WEIR_RIGHT};
  for (size_t c = 0; c < n; c++)
    columns[c + FIRST] = (struct weir_column){weir_study_label(v->s, c), NULL, WEIR_RIGHT};
  struct weir_table *t = weir_table_new(columns, n + FIRST);
  free(columns);
  if (t == NULL) return no_memory(err);
  for (size_t w = 0; w < v->s->n_workloads; w++) {
    const struct weir_run *base = weir_study_repeat(v->s, w, v->gpu, v->baseline, 0);
    for (size_t k = 0; base->state == WEIR_RUN_DONE && k < base->n_kernels; k++)
      kernel_row(t, v, w, k);
  }
  weir_text_style(v->out, WEIR_BOLD);
  weir_text_printf(v->out, "\nspeed-up of each kernel over %s\n",
                   weir_study_label(v->s, v->baseline));
  weir_text_style(v->out, WEIR_PLAIN);
  enum weir_status st = weir_table_text(t, v->out, err);
  weir_table_free(t);
  return st;
}

/* ---- what lies behind ---- */

static bool has_bound(const struct view *v) {
  return weir_compare_bound(v->s, v->gpu, SIZE_MAX) != SIZE_MAX;
}

static void behind_row(struct weir_table *t, const struct view *v, size_t scheme) {
  const struct weir_compare_mean *m = &v->means[scheme];
  char num[27];
  weir_table_cell(t, "%s%s", weir_study_label(v->s, scheme), mark_of(v, scheme));
  if (has_bound(v))
    number(t, "%.0f", 0.0 + round(100 * weir_compare_share(v->s, v->gpu, scheme, v->baseline)), "");
  number(t, "%.1f", 100 * m->hit_rate_l1, "");
  number(t, "%.1f", 100 * m->hit_rate_stream, "");
  number(t, "%.1f", 100 * m->bypass_rate, "");
  number(t, "%.1f", 100 * m->stall_frac, "");
  number(t, "%.3f", m->requests, "");
  number(t, "%.3f", m->flits, "");
  number(t, "%.3f", m->dram, "");
  number(t, "%.3f", m->energy, "");
  weir_table_cell(t, "%s", m->n > 0 ? weir_text_thousands(m->cycles, num) : "-");
  if (m->n > 0 && !m->has_storage)
    weir_table_cell(t, "not declared");
  else
    number(t, "%+.0f", m->n > 0 ? (double)m->storage_bits / 8 : (double)NAN, "");
}

static void bound_note(const struct view *v) {
  if (!has_bound(v)) return;
  weir_text_puts(v->out,
                 "of possible gain: between it and the bound, opt on whole lines or opt-chunk "
                 "where parts of lines are stored, which bounds\nhits and not time: more than "
                 "100 % can be; - where the bound gains less than 2 %\n");
}

static enum weir_status behind_table(const struct view *v, struct weir_err *err) {
  enum { SHARE = 1 };
  struct weir_column columns[] = {{"scheme", NULL, WEIR_LEFT},
                                  {"of possible", "gain, %", WEIR_RIGHT},
                                  {"L1 hits", "% of cached", WEIR_RIGHT},
                                  {"L1 hits", "% of loads", WEIR_RIGHT},
                                  {"bypassed", "% of loads", WEIR_RIGHT},
                                  {"LD/ST stall", "% of cycles", WEIR_RIGHT},
                                  {"L2 requests", "x baseline", WEIR_RIGHT},
                                  {"L1-L2 flits", "x baseline", WEIR_RIGHT},
                                  {"DRAM", "x baseline", WEIR_RIGHT},
                                  {"L1 energy", "x baseline", WEIR_RIGHT},
                                  {"cycles", "sum", WEIR_RIGHT},
                                  {"storage", "bytes per SM", WEIR_RIGHT}};
  size_t n = sizeof columns / sizeof *columns;
  if (!has_bound(v)) memmove(columns + SHARE, columns + SHARE + 1, (--n - SHARE) * sizeof *columns);
  struct weir_table *t = weir_table_new(columns, n);
  if (t == NULL) return no_memory(err);
  for (size_t c = 0; c < weir_study_shown(v->s); c++)
    behind_row(t, v, c);
  weir_text_puts(v->out, "\n");
  enum weir_status st = weir_table_text(t, v->out, err);
  weir_table_free(t);
  weir_text_style(v->out, WEIR_DIM);
  weir_text_printf(v->out,
                   "means over workloads, geometric where relative to %s; storage: what the parts "
                   "of its L1 add to it\n",
                   weir_study_label(v->s, v->baseline));
  bound_note(v);
  weir_text_style(v->out, WEIR_PLAIN);
  return st;
}

/* ---- searches ---- */

/* Which values were tried, of one workload. */
static void tried_note(const struct view *v, const struct weir_study_search *x, size_t w) {
  size_t best = weir_search_best(v->s, x, w, v->gpu), n = 0;
  for (size_t k = 0; k < x->n; k++)
    n += weir_search_is_tried(v->s, x, w, v->gpu, k);
  weir_text_printf(v->out, "  %s: %s; %zu of %zu tried:", v->s->workloads[w].name,
                   best != SIZE_MAX ? x->values[best] : "-", n, x->n);
  for (size_t k = 0; k < x->n; k++) {
    size_t end = k;
    if (!weir_search_is_tried(v->s, x, w, v->gpu, k)) continue;
    while (end + 1 < x->n && weir_search_is_tried(v->s, x, w, v->gpu, end + 1))
      end++;
    if (end - k < 3) end = k;
    weir_text_printf(v->out, end > k ? " %s..%s" : " %s", x->values[k], x->values[end]);
    k = end;
  }
  weir_text_puts(v->out, "\n");
}

static void search_notes(const struct view *v) {
  for (size_t i = 0; i < v->s->n_searches; i++) {
    const struct weir_study_search *x = &v->s->searches[i];
    weir_text_printf(v->out, "%s: the best %s of each workload\n",
                     weir_study_label(v->s, x->column), x->key);
    for (size_t w = 0; w < v->s->n_workloads; w++)
      tried_note(v, x, w);
  }
}

/* ---- how far the energy goes ---- */

/* The first of the schemes that have it? */
static bool is_first(const struct view *v, size_t scheme, const struct weir_part *part) {
  const struct weir_part *other;
  for (size_t c = 0; c < scheme; c++)
    for (uint32_t i = 0; (other = weir_setup_part(weir_study_setup(v->s, v->gpu, c)->setup, i));
         i++)
      if (other == part) return false;
  return true;
}

static void energy_notes(const struct view *v) {
  const struct weir_part *part;
  const char *mark = "energy: nothing was published about ";
  char size[160];
  const struct weir_setup *base = weir_study_setup(v->s, v->gpu, v->baseline)->setup;
  if (*weir_energy_size_note(&base->machine, size, sizeof size) != '\0')
    weir_text_printf(v->out, "energy: %s\n", size);
  for (size_t c = 0; c < weir_study_shown(v->s); c++) {
    const struct weir_setup *s = weir_study_setup(v->s, v->gpu, c)->setup;
    for (uint32_t i = 0; (part = weir_setup_part(s, i)) != NULL; i++) {
      if (weir_energy_is_known(part) || !is_first(v, c, part)) continue;
      weir_text_printf(v->out, "%s%s", mark, part->name);
      mark = ", ";
    }
  }
  if (mark[0] == ',') weir_text_puts(v->out, ", whose own needs are not counted\n");
}

/* ---- repeats ---- */

static void repeat_note(const struct view *v) {
  const struct weir_study_setup *base = weir_study_setup(v->s, v->gpu, v->baseline);
  const struct weir_jitter_cfg *j = &base->setup->machine.jitter;
  size_t n = weir_study_repeats(v->s);
  if (n == 1) return;
  weir_text_printf(v->out,
                   "≈ the interval contains 1: no difference is shown; of two fastest, between "
                   "them\n"
                   "repeats: seeds %" PRIu64 " to %" PRIu64 " of jitter.dispatch=%" PRId64
                   " and jitter.memory=%" PRId64 ", the same for all schemes\n",
                   weir_study_seed(base, 0), weir_study_seed(base, n - 1), j->dispatch, j->memory);
}

/* ---- what is missing ---- */

static void partial_note(const struct view *v) {
  const char *mark = "* over the workloads that ended with both: ";
  for (size_t c = 0; c < weir_study_shown(v->s); c++) {
    if (*mark_of(v, c) == 0) continue;
    weir_text_printf(v->out, "%s%s %zu of %zu", mark, weir_study_label(v->s, c), v->means[c].n,
                     v->s->n_workloads);
    mark = ", ";
  }
  if (mark[0] == ',') weir_text_puts(v->out, "\n");
}

static void profile_notes(const struct view *v) {
  bool any_tags = false, any_rows = false;
  for (size_t w = 0; w < v->s->n_workloads; w++)
    for (size_t c = 0; c < weir_study_shown(v->s); c++) {
      const struct weir_study_prep *prep = weir_study_prep(v->s, w, v->gpu, c);
      for (uint32_t i = 0; is_marked(v, w, c) && i < prep->n_made; i++) {
        bool is_tags = weir_prepares_tags(prep->made[i]->name);
        any_tags |= is_tags;
        any_rows |= !is_tags;
      }
    }
  if (any_tags || any_rows)
    weir_text_printf(v->out, "= %s on the very input that is timed\n",
                     any_tags && any_rows ? "loads were classified, or policies prepared,"
                     : any_tags           ? "loads were classified"
                                          : "policies were prepared");
}

/* A reason may have several lines. */
static void put_reason(struct weir_text *out, const char *reason) {
  for (; *reason != 0; reason++) {
    weir_text_add(out, reason, 1);
    if (*reason == '\n') weir_text_puts(out, "  ");
  }
  weir_text_puts(out, "\n");
}

/* Schemes that failed for the same reason share a line, which stands at the first of them. */
static void run_failures(const struct view *v, size_t w) {
  const struct weir_study *s = v->s;
  for (size_t c = 0; c < weir_study_shown(s); c++) {
    const char *error = weir_study_at(s, w, v->gpu, c)->error;
    const char *mark = " with ";
    bool is_first = error != NULL;
    for (size_t k = 0; k < c && is_first; k++) {
      const char *before = weir_study_at(s, w, v->gpu, k)->error;
      is_first = before == NULL || strcmp(before, error) != 0;
    }
    if (!is_first) continue;
    weir_text_printf(v->out, "failed: %s on %s", s->workloads[w].name, s->gpus[v->gpu]);
    for (size_t k = c; k < weir_study_shown(s); k++) {
      const char *other = weir_study_at(s, w, v->gpu, k)->error;
      if (other == NULL || strcmp(other, error) != 0) continue;
      weir_text_printf(v->out, "%s%s", mark, weir_study_label(s, k));
      mark = ", ";
    }
    weir_text_puts(v->out, ": ");
    put_reason(v->out, error);
  }
}

static const char *prep_error(const struct view *v, size_t w, size_t c) {
  const struct weir_study_prep *prep = weir_study_prep(v->s, w, v->gpu, c);
  return prep != NULL && weir_study_setup(v->s, v->gpu, c)->error == NULL ? prep->error : NULL;
}

/* Which schemes, unless it is the same for all that are prepared. */
static void prep_failure(const struct view *v, size_t w, size_t c) {
  const char *error = prep_error(v, w, c), *mark = "";
  bool is_same = true;
  for (size_t k = 0; k < weir_study_shown(v->s); k++) {
    const char *other = prep_error(v, w, k);
    if (other != NULL && strcmp(other, error) == 0 && k < c) return; /* said already */
    is_same &= other == NULL || strcmp(other, error) == 0;
  }
  weir_text_printf(v->out, "failed: %s with ", v->s->workloads[w].name);
  for (size_t k = c; !is_same && k < weir_study_shown(v->s); k++) {
    const char *other = prep_error(v, w, k);
    if (other == NULL || strcmp(other, error) != 0) continue;
    weir_text_printf(v->out, "%s%s", mark, weir_study_label(v->s, k));
    mark = ", ";
  }
  weir_text_puts(v->out, is_same ? "schemes that are prepared: " : ": ");
  put_reason(v->out, error);
}

static void failures(const struct view *v) {
  const struct weir_study *s = v->s;
  for (size_t c = 0; c < weir_study_shown(s); c++) {
    const char *error = weir_study_setup(s, v->gpu, c)->error;
    if (error == NULL) continue;
    weir_text_printf(v->out, "failed: %s on %s: ", weir_study_label(s, c), s->gpus[v->gpu]);
    put_reason(v->out, error);
  }
  for (size_t w = 0; w < s->n_workloads; w++) {
    if (s->workloads[w].error != NULL) {
      weir_text_printf(v->out, "failed: %s: ", s->workloads[w].name);
      put_reason(v->out, s->workloads[w].error);
    }
    for (size_t c = 0; c < weir_study_shown(s); c++)
      if (prep_error(v, w, c) != NULL) prep_failure(v, w, c);
    run_failures(v, w);
  }
}

enum weir_status weir_compare_text(const struct weir_study *s, size_t baseline, bool per_kernel,
                                   struct weir_text *out, struct weir_err *err) {
  struct weir_compare_mean *means = weir_calloc(weir_study_shown(s), sizeof *means);
  if (means == NULL) return no_memory(err);
  enum weir_status st = WEIR_OK;
  for (size_t g = 0; st == WEIR_OK && g < s->n_gpus; g++) {
    struct view v = {s, g, baseline, means, out};
    for (size_t c = 0; c < weir_study_shown(s); c++)
      means[c] = weir_compare_mean(s, g, c, baseline);
    if (g > 0) weir_text_puts(out, "\n\n");
    st = speedup_table(&v, err);
    bars(&v);
    if (st == WEIR_OK) st = behind_table(&v, err);
    if (st == WEIR_OK && per_kernel) st = kernel_table(&v, err);
    weir_text_style(out, WEIR_DIM);
    search_notes(&v);
    repeat_note(&v);
    energy_notes(&v);
    partial_note(&v);
    profile_notes(&v);
    weir_text_style(out, WEIR_PLAIN);
    failures(&v);
  }
  free(means);
  return st;
}
