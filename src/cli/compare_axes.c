/* Axes of a sweep: parameters with several values, and which combinations of them are meant. */
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "cli/cmd.h"
#include "cli/compare.h"
#include "study/identity.h"

enum { MOST_VARIANTS = 100000 };

static enum weir_status no_memory(struct weir_err *err) {
  return weir_fail(err, WEIR_ENOMEM, "out of memory");
}

/* ---- axes ---- */

/* What is executed and what a program sees is the same for all runs. */
static bool is_shared(const char *key) {
  return strncmp(key, "exec.", 5) == 0 || strncmp(key, "cuda.", 5) == 0;
}

static enum weir_status add_axis(struct weir_comparison *c, const struct weir_set_axis *axis,
                                 struct weir_err *err) {
  for (size_t i = 0; i < c->axes.n; i++)
    if (strcmp(c->axes.v[i].key, axis->key) == 0)
      return weir_fail(err, WEIR_EINVAL, "%s has two lists of values", axis->key);
  if (is_shared(axis->key)) {
    weir_fail(err, WEIR_EINVAL, "%s: a workload is executed once for all runs", axis->key);
    weir_err_add(err, "remedy: one value, and another sweep into the same store for the next");
    return WEIR_EINVAL;
  }
  return WEIR_PUSH(c->axes, *axis) ? WEIR_OK : no_memory(err);
}

enum weir_status weir_comparison_axis(struct weir_comparison *c, const char *option,
                                      const char *assignment, struct weir_err *err) {
  const char *eq = strchr(assignment, '=');
  struct weir_set_axis axis;
  struct weir_err why;
  if (eq == NULL || eq == assignment)
    return weir_fail(err, WEIR_EINVAL, "%s%s: want KEY=VALUE or KEY=VALUE,VALUE,...", option,
                     assignment);
  axis.key = weir_arena_strndup(&c->arena, assignment, (size_t)(eq - assignment));
  if (axis.key == NULL) return no_memory(err);
  if (weir_axis_read(&c->arena, eq + 1, &axis.values, &why) != WEIR_OK)
    return weir_fail(err, why.code, "%s%s: %s", option, assignment, why.msg);
  if (axis.values.n > 1) return add_axis(c, &axis, err);
  const char *set = weir_arena_printf(&c->arena, "%s=%s", axis.key, axis.values.v[0]);
  return set != NULL && WEIR_PUSH(c->sets, set) ? WEIR_OK : no_memory(err);
}

/* ---- variants ---- */

static const char *label_of(struct weir_comparison *c, const struct weir_variant *v) {
  const char *text = "";
  for (size_t i = 0; text != NULL && i < c->axes.n; i++)
    text = weir_arena_printf(&c->arena, "%s%s%s=%s", text, i > 0 ? ", " : "", c->axes.v[i].key,
                             v->values[i]);
  return text;
}

/* Combination `n` of the values: the last axis changes fastest. */
static bool fill_variant(struct weir_comparison *c, struct weir_variant *v, const char *gpu,
                         size_t n) {
  const char **values = weir_arena_array(&c->arena, c->axes.n + 1, sizeof *values);
  if (values == NULL) return false;
  for (size_t i = c->axes.n; i-- > 0; n /= c->axes.v[i].values.n)
    values[i] = c->axes.v[i].values.v[n % c->axes.v[i].values.n];
  *v = (struct weir_variant){.gpu = gpu, .values = values};
  v->label = label_of(c, v);
  return v->label != NULL;
}

/* Values of an axis take the place of a single one, whoever said that. */
static enum weir_status check_l2(const struct weir_comparison *c, struct weir_err *err) {
  for (size_t i = 0; c->l2 != NULL && i < c->axes.n; i++) {
    if (strcmp(c->axes.v[i].key, WEIR_L2_KEY) != 0) continue;
    weir_fail(err, WEIR_EINVAL, "%s, and values for " WEIR_L2_KEY ": which?", c->l2);
    weir_err_add(err, "leave %s out, and let it be one of the values", c->l2);
    return WEIR_EINVAL;
  }
  return WEIR_OK;
}

enum weir_status weir_comparison_variants(struct weir_comparison *c, struct weir_err *err) {
  size_t each = 1;
  enum weir_status st = check_l2(c, err);
  if (st != WEIR_OK) return st;
  for (size_t i = 0; i < c->axes.n && each <= MOST_VARIANTS; i++)
    each *= c->axes.v[i].values.n;
  if (each * c->gpus.n > MOST_VARIANTS)
    return weir_fail(err, WEIR_ELIMIT, "more than %d combinations of machines and values",
                     MOST_VARIANTS);
  c->n_variants = each * c->gpus.n;
  c->variants = weir_arena_array(&c->arena, c->n_variants, sizeof *c->variants);
  const char **gpus = weir_arena_array(&c->arena, c->n_variants, sizeof *gpus);
  const char **labels = weir_arena_array(&c->arena, c->n_variants, sizeof *labels);
  if (c->variants == NULL || gpus == NULL || labels == NULL) return no_memory(err);
  for (size_t i = 0; i < c->n_variants; i++) {
    if (!fill_variant(c, &c->variants[i], c->gpus.v[i / each], i % each)) return no_memory(err);
    gpus[i] = c->variants[i].gpu;
    labels[i] = c->variants[i].label;
  }
  c->study.gpus = gpus;
  c->study.variants = labels;
  c->study.n_gpus = c->n_variants;
  return WEIR_OK;
}

enum weir_status weir_variant_assign(const struct weir_comparison *c, const struct weir_variant *v,
                                     struct weir_settings *s, struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  struct weir_arena a = {0};
  for (size_t i = 0; st == WEIR_OK && i < c->axes.n; i++) {
    const char *text = weir_arena_printf(&a, "%s=%s", c->axes.v[i].key, v->values[i]);
    st = text != NULL ? weir_settings_assign(s, text, err) : no_memory(err);
  }
  weir_arena_free(&a);
  return st;
}

/* ---- constraints ---- */

/* As SQL has them: numbers as numbers, whatever suffix they were written with. */
static void put_value(struct weir_text *sql, const char *value) {
  int64_t n;
  double x;
  if (weir_parse_int(value, &n))
    weir_text_printf(sql, "%lld", (long long)n);
  else if (weir_parse_real(value, &x))
    weir_text_printf(sql, "%.17g", x);
  else {
    char *quoted = sqlite3_mprintf("%Q", value);
    weir_text_puts(sql, quoted != NULL ? quoted : "NULL");
    sqlite3_free(quoted);
  }
}

/* Of a group of parameters, "l1", a table with a column for each: l1.size is a name in SQL. */
static void put_group(const struct weir_study_setup *s, size_t first, struct weir_text *sql) {
  const struct weir_param_group *group = s->settings->v[first].group;
  const char *mark = ", (SELECT ";
  for (size_t i = first; i < s->settings->n && s->settings->v[i].group == group; i++) {
    weir_text_puts(sql, mark);
    put_value(sql, s->settings->v[i].text);
    weir_text_printf(sql, " AS \"%s\"", s->settings->v[i].param->name);
    mark = ", ";
  }
  weir_text_printf(sql, ") AS \"%s\"", group->prefix);
}

static void put_query(const struct weir_comparison *c, size_t setup, const char *constraint,
                      struct weir_text *sql) {
  const struct weir_study_setup *s = &c->study_setups[setup];
  const struct weir_param_group *last = NULL;
  weir_text_printf(sql, "SELECT (%s) FROM (SELECT ", constraint);
  put_value(sql, c->variants[setup / c->schemes.n].gpu);
  weir_text_puts(sql, " AS gpu, ");
  put_value(sql, c->schemes.v[setup % c->schemes.n]);
  weir_text_puts(sql, " AS scheme)");
  for (size_t i = 0; i < s->settings->n; i++) {
    const struct weir_setting *v = &s->settings->v[i];
    if (v->group != last && weir_setting_counts(s, v, false)) put_group(s, i, sql);
    last = v->group;
  }
}

static enum weir_status is_true(sqlite3 *db, const struct weir_text *sql, const char *constraint,
                                bool *holds, struct weir_err *err) {
  sqlite3_stmt *q = NULL;
  const char *rest = NULL;
  int code = sqlite3_prepare_v2(db, sql->v, -1, &q, &rest);
  if (code == SQLITE_OK) code = sqlite3_step(q);
  *holds = code == SQLITE_ROW && sqlite3_column_int(q, 0) != 0;
  if (code != SQLITE_ROW) {
    weir_fail(err, WEIR_EINVAL, "constraint '%s': %s", constraint, sqlite3_errmsg(db));
    weir_err_add(err, "it is an SQL expression of gpu, scheme and parameters, such as "
                      "l1.size / l1.ways >= 2048");
  }
  sqlite3_finalize(q);
  return code == SQLITE_ROW ? WEIR_OK : WEIR_EINVAL;
}

enum weir_status weir_comparison_holds(const struct weir_comparison *c, size_t setup, bool *holds,
                                       struct weir_err *err) {
  sqlite3 *db = NULL;
  enum weir_status st = WEIR_OK;
  *holds = true;
  if (c->constraints.n == 0) return WEIR_OK;
  if (sqlite3_open(":memory:", &db) != SQLITE_OK) st = no_memory(err);
  for (size_t i = 0; st == WEIR_OK && *holds && i < c->constraints.n; i++) {
    struct weir_text sql = {0};
    put_query(c, setup, c->constraints.v[i], &sql);
    st = sql.failed ? no_memory(err) : is_true(db, &sql, c->constraints.v[i], holds, err);
    weir_text_free(&sql);
  }
  sqlite3_close(db);
  return st;
}
