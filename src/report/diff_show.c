/* Differences as text and as JSON. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/table.h"
#include "report/diff.h"

enum { WIDTH = 100 };

static bool is_shown(const struct weir_diff_stat *s, const struct weir_diff_view *v) {
  return !(fabs(s->change) < v->least);
}

/* Of those that are shown, which come first: at most `top`. */
static size_t shown(const struct weir_diff *d, const struct weir_diff_view *v, size_t *all) {
  *all = 0;
  while (*all < d->stats.n && is_shown(&d->stats.v[*all], v))
    ++*all;
  return v->top > 0 && v->top < *all ? v->top : *all;
}

/* ---- text ---- */

static void put_said(struct weir_text *t, const char *said) {
  if (said != NULL) weir_text_printf(t, " (%s)", said);
}

/* "spmv fermi-s3 tsc seed 1 l1.size 32K kernel 2 norm": as much as tells it from others. */
static void put_label(const struct weir_diff *d, const struct weir_diff_item *item,
                      struct weir_text *t) {
  size_t begin = t->n;
  bool has_key = item->kernel > 0 || d->n_swept > 0;
  for (int i = 0; i < WEIR_DIFF_PARTS; i++)
    has_key |= d->is_key[i];
  for (int i = 0; i < WEIR_DIFF_PARTS; i++)
    if ((d->is_key[i] || !has_key) && item->part[i] != NULL) {
      weir_text_printf(t, "%s%s%s", t->n > begin ? " " : "", i == WEIR_DIFF_SEED ? "seed " : "",
                       item->part[i]);
      if (i == WEIR_DIFF_SCHEME) put_said(t, weir_diff_certainty(item));
    }
  for (size_t i = 0; i < item->n_settings; i++)
    for (size_t k = 0; k < d->n_swept; k++)
      if (strcmp(item->setting[i].key, d->swept[k]) == 0)
        weir_text_printf(t, "%s%s %s", t->n > begin ? " " : "", d->swept[k],
                         item->setting[i].value);
  if (item->kernel > 0)
    weir_text_printf(t, "%skernel %" PRId64 " %s", t->n > begin ? " " : "", item->kernel,
                     item->kernel_name != NULL ? item->kernel_name : "");
}

static void put_value(struct weir_text *t, const struct weir_value *v) {
  char num[27];
  uint64_t size = v->whole < 0 ? 0 - (uint64_t)v->whole : (uint64_t)v->whole;
  if (v->kind == WEIR_VALUE_WHOLE)
    weir_text_printf(t, "%s%s", v->whole < 0 ? "-" : "", weir_text_thousands(size, num));
  else if (v->kind == WEIR_VALUE_REAL)
    weir_text_printf(t, "%.6g", v->real);
  else
    weir_text_puts(t, "-");
}

static void value_cell(struct weir_table *table, const struct weir_value *v) {
  struct weir_text t = {0};
  put_value(&t, v);
  weir_table_cell(table, "%s", t.v != NULL ? t.v : "?");
  weir_text_free(&t);
}

static void change_cell(struct weir_table *table, const struct weir_diff_stat *s) {
  if (isnan(weir_value_real(&s->a)) || isnan(weir_value_real(&s->b)))
    weir_table_cell(table, "-");
  else if (isinf(s->change))
    weir_table_cell(table, "from 0");
  else if (fabs(s->change) < 0.005)
    weir_table_cell(table, "%+.2g %s", s->change, s->is_points ? "points" : "%");
  else
    weir_table_cell(table, "%+.2f %s", s->change, s->is_points ? "points" : "%");
}

static void label_cell(struct weir_table *table, const struct weir_diff *d,
                       const struct weir_diff_item *item) {
  struct weir_text t = {0};
  put_label(d, item, &t);
  weir_table_cell(table, "%s", t.v != NULL ? t.v : "");
  weir_text_free(&t);
}

static enum weir_status end_table(struct weir_table *t, struct weir_text *out,
                                  struct weir_err *err) {
  enum weir_status st = t != NULL ? weir_table_text(t, out, err) : weir_no_memory(err);
  weir_table_free(t);
  return st;
}

static const char *plural(size_t n, const char *one, const char *several) {
  return n == 1 ? one : several;
}

static void put_rest(struct weir_text *out, size_t shown_rows, size_t all) {
  if (shown_rows < all) weir_text_printf(out, "%zu more: --top 0 shows all\n", all - shown_rows);
}

static void setting_cell(struct weir_table *t, const char *value, const char *said) {
  weir_table_cell(t, "%s%s%s%s", value != NULL ? value : "-", said != NULL ? " (" : "",
                  said != NULL ? said : "", said != NULL ? ")" : "");
}

static enum weir_status show_settings(const struct weir_diff *d, const struct weir_diff_view *v,
                                      struct weir_text *out, struct weir_err *err) {
  static const struct weir_column columns[] = {{"setting", NULL, WEIR_LEFT},
                                               {"A", NULL, WEIR_LEFT},
                                               {"B", NULL, WEIR_LEFT},
                                               {"pairs", NULL, WEIR_RIGHT}};
  size_t n = v->top > 0 && v->top < d->settings.n ? v->top : d->settings.n;
  if (d->settings.n == 0) return WEIR_OK;
  bool has_pairs = d->pairs.n > 1;
  struct weir_table *t = weir_table_new(columns, has_pairs ? 4 : 3);
  for (size_t i = 0; t != NULL && i < n; i++) {
    const struct weir_diff_setting *s = &d->settings.v[i];
    weir_table_cell(t, "%s", s->key);
    setting_cell(t, s->a, s->said_a);
    setting_cell(t, s->b, s->said_b);
    if (has_pairs) weir_table_cell(t, "%zu", s->pairs);
  }
  weir_text_puts(out, "\n");
  enum weir_status st = end_table(t, out, err);
  put_rest(out, n, d->settings.n);
  return st;
}

static enum weir_status show_stats(const struct weir_diff *d, const struct weir_diff_view *v,
                                   struct weir_text *out, struct weir_err *err) {
  static const struct weir_column columns[] = {
      {"statistic", NULL, WEIR_LEFT}, {"A", NULL, WEIR_RIGHT},     {"B", NULL, WEIR_RIGHT},
      {"change", NULL, WEIR_RIGHT},   {"pairs", NULL, WEIR_RIGHT}, {"most in", NULL, WEIR_LEFT}};
  size_t all, n = shown(d, v, &all);
  if (d->n_compared == 0 || weir_diff_is_equal(d)) return WEIR_OK;
  weir_text_printf(out, "\n%zu of %zu statistics differ", d->stats.n, d->n_compared);
  if (all < d->stats.n) weir_text_printf(out, ", %zu of them by %g %% or more", all, v->least);
  weir_text_puts(out, "\n");
  if (n == 0) return WEIR_OK;
  bool has_pairs = d->pairs.n > 1;
  struct weir_table *t = weir_table_new(columns, has_pairs ? 6 : 4);
  for (size_t i = 0; t != NULL && i < n; i++) {
    const struct weir_diff_stat *s = &d->stats.v[i];
    weir_table_cell(t, "%s", s->name);
    value_cell(t, &s->a);
    value_cell(t, &s->b);
    change_cell(t, s);
    if (!has_pairs) continue;
    weir_table_cell(t, "%zu", s->pairs);
    label_cell(t, d, &d->a.v[d->pairs.v[s->pair].a]);
  }
  enum weir_status st = end_table(t, out, err);
  put_rest(out, n, all);
  return st;
}

static void show_names(const struct weir_diff_names *names, const char *side,
                       struct weir_text *out) {
  struct weir_text t = {0};
  if (names->n == 0) return;
  weir_text_printf(&t, "%zu %s only in %s: ", names->n, plural(names->n, "statistic", "statistics"),
                   side);
  for (size_t i = 0; i < names->n; i++)
    weir_text_printf(&t, "%s%s", i > 0 ? ", " : "", names->v[i]);
  weir_text_puts(out, "\n");
  if (t.v != NULL) weir_text_wrap(out, t.v, WIDTH, "  ");
  weir_text_puts(out, "\n");
  out->failed |= t.failed;
  weir_text_free(&t);
}

static void show_only(const struct weir_diff *d, const struct weir_diff_side *s,
                      const struct weir_diff_places *places, const char *side,
                      const struct weir_diff_view *v, struct weir_text *out) {
  size_t n = v->top > 0 && v->top < places->n ? v->top : places->n;
  if (places->n == 0) return;
  weir_text_printf(out, "\nonly in %s: %zu\n", side, places->n);
  for (size_t i = 0; i < n; i++) {
    weir_text_puts(out, "  ");
    put_label(d, &s->v[places->v[i]], out);
    weir_text_puts(out, "\n");
  }
  put_rest(out, n, places->n);
}

/* By what pairs were found. */
static void put_keys(const struct weir_diff *d, struct weir_text *out) {
  size_t n = 0;
  for (int i = 0; i < WEIR_DIFF_PARTS; i++)
    if (d->is_key[i])
      weir_text_printf(out, "%s%s", n++ > 0 ? ", " : ", by ", weir_diff_part_names[i]);
  for (size_t i = 0; i < d->n_swept; i++)
    weir_text_printf(out, "%s%s", n++ > 0 ? ", " : ", by ", d->swept[i]);
}

/* The first thing that is asked. */
static void put_cycles(const struct weir_diff *d, struct weir_text *out) {
  double ratio = weir_diff_cycles(d);
  if (isnan(ratio) || weir_diff_is_equal(d)) return;
  weir_text_printf(out, "cycles of B by those of A: %.4f", ratio);
  if (d->n_cycles > 1) weir_text_printf(out, " (geometric mean of %zu pairs)", d->n_cycles);
  weir_text_puts(out, "\n");
}

static void show_head(const struct weir_diff *d, struct weir_text *out) {
  weir_text_printf(out, "A: %s\nB: %s\n", d->a.name, d->b.name);
  if (d->pairs.n != 1 || d->only_a.n > 0 || d->only_b.n > 0) {
    weir_text_printf(out, "%zu %s", d->pairs.n, plural(d->pairs.n, "pair", "pairs"));
    put_keys(d, out);
    weir_text_printf(out, ": %zu equal, %zu different\n", d->pairs.n - d->n_different,
                     d->n_different);
  }
  if (weir_diff_is_equal(d))
    weir_text_puts(out, d->settings.n > 0 ? "the results are equal, though settings differ\n"
                                          : "the results are equal\n");
  put_cycles(d, out);
}

enum weir_status weir_diff_text(const struct weir_diff *d, const struct weir_diff_view *v,
                                struct weir_text *out, struct weir_err *err) {
  show_head(d, out);
  enum weir_status st = show_settings(d, v, out, err);
  if (st == WEIR_OK) st = show_stats(d, v, out, err);
  if (st != WEIR_OK) return st;
  show_names(&d->stats_a, "A", out);
  show_names(&d->stats_b, "B", out);
  show_only(d, &d->a, &d->only_a, "A", v, out);
  show_only(d, &d->b, &d->only_b, "B", v, out);
  return out->failed ? weir_no_memory(err) : WEIR_OK;
}

/* ---- JSON ---- */

static json_t *value_json(const struct weir_value *v) {
  if (v->kind == WEIR_VALUE_WHOLE) return json_integer(v->whole);
  return v->kind == WEIR_VALUE_REAL && isfinite(v->real) ? json_real(v->real) : json_null();
}

static json_t *item_json(const struct weir_diff *d, const struct weir_diff_item *item) {
  json_t *o = json_object();
  for (int i = 0; i < WEIR_DIFF_PARTS; i++)
    if (item->part[i] != NULL)
      weir_json_put(&o, weir_diff_part_names[i],
                    i == WEIR_DIFF_SEED ? json_integer(strtoll(item->part[i], NULL, 10))
                                        : weir_json_text(item->part[i]));
  for (size_t i = 0; i < item->n_settings; i++)
    for (size_t k = 0; k < d->n_swept; k++)
      if (strcmp(item->setting[i].key, d->swept[k]) == 0)
        weir_json_put(&o, d->swept[k], weir_json_text(item->setting[i].value));
  if (item->kernel > 0) {
    weir_json_put(&o, "kernel", json_integer(item->kernel));
    weir_json_put(&o, "kernel_name", weir_json_text_or_null(item->kernel_name));
  }
  return o;
}

static json_t *setting_json(const struct weir_diff_setting *s) {
  return json_pack("{s:o, s:o, s:o, s:I}", "setting", weir_json_text(s->key), "a",
                   weir_json_text_or_null(s->a), "b", weir_json_text_or_null(s->b), "pairs",
                   (json_int_t)s->pairs);
}

static json_t *stat_json(const struct weir_diff *d, const struct weir_diff_stat *s) {
  return json_pack("{s:s, s:o, s:o, s:o, s:s, s:I, s:o}", "statistic", s->name, "a",
                   value_json(&s->a), "b", value_json(&s->b), "change",
                   isfinite(s->change) ? json_real(s->change) : json_null(), "unit",
                   s->is_points ? "points" : "percent", "pairs", (json_int_t)s->pairs, "most_in",
                   item_json(d, &d->a.v[d->pairs.v[s->pair].a]));
}

static json_t *only_json(const struct weir_diff *d, const struct weir_diff_side *s,
                         const struct weir_diff_places *places) {
  json_t *list = json_array();
  for (size_t i = 0; i < places->n; i++)
    weir_json_push(&list, item_json(d, &s->v[places->v[i]]));
  return list;
}

static json_t *names_json(const struct weir_diff_names *names) {
  json_t *list = json_array();
  for (size_t i = 0; i < names->n; i++)
    weir_json_push(&list, json_string(names->v[i]));
  return list;
}

json_t *weir_diff_json(const struct weir_diff *d, const struct weir_diff_view *v) {
  size_t all, n = shown(d, v, &all);
  json_t *settings = json_array(), *stats = json_array();
  for (size_t i = 0; i < d->settings.n; i++)
    weir_json_push(&settings, setting_json(&d->settings.v[i]));
  for (size_t i = 0; i < n; i++)
    weir_json_push(&stats, stat_json(d, &d->stats.v[i]));
  return json_pack("{s:i, s:o, s:o, s:b, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "weir_diff",
                   1, "a", weir_json_text(d->a.name), "b", weir_json_text(d->b.name), "equal",
                   weir_diff_is_equal(d), "pairs", (json_int_t)d->pairs.n, "different",
                   (json_int_t)d->n_different, "cycles_ratio", weir_json_real(weir_diff_cycles(d)),
                   "settings", settings, "statistics", stats, "statistics_only_a",
                   names_json(&d->stats_a), "statistics_only_b", names_json(&d->stats_b), "only_a",
                   only_json(d, &d->a, &d->only_a), "only_b", only_json(d, &d->b, &d->only_b));
}
