/* Searches: schemes that are the best of several values of a parameter, for each workload. */
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "cli/compare.h"
#include "session/data.h"

/* What is searched for a scheme: its own, or what the command line says. */
struct wanted {
  const char *key;
  struct weir_axis_values values;
};

static enum weir_status no_memory(struct weir_err *err) {
  return weir_fail(err, WEIR_ENOMEM, "out of memory");
}

/* ---- what a machine has as the end of a range: 1..sm.blocks, 1..sm.warps/sm.schedulers ---- */

static bool value_of(const struct weir_settings *s, const char *from, size_t n, int64_t *out) {
  char key[64];
  if (n == 0 || n >= sizeof key) return false;
  memcpy(key, from, n);
  key[n] = 0;
  const struct weir_setting *v = weir_settings_find(s, key);
  return v != NULL && weir_parse_int(v->text, out);
}

/* `text` itself, if there is no such end. NULL: no memory. */
static const char *with_machine(struct weir_comparison *c, const struct weir_settings *s,
                                const char *text) {
  static const char *const LETTERS = "abcdefghijklmnopqrstuvwxyz_.0123456789";
  const char *dots = strstr(text, "..");
  int64_t most, by = 1;
  if (dots == NULL || dots[2] < 'a' || dots[2] > 'z') return text;
  size_t n = strspn(dots + 2, LETTERS), m = 0;
  const char *rest = dots + 2 + n;
  if (!value_of(s, dots + 2, n, &most)) return text;
  if (*rest == '/') {
    m = strspn(rest + 1, LETTERS);
    if (!value_of(s, rest + 1, m, &by) || by < 1) return text;
    rest += m + 1;
  }
  return weir_arena_printf(&c->arena, "%.*s%lld%s", (int)(dots + 2 - text), text,
                           (long long)(most / by > 1 ? most / by : 1), rest);
}

/* Searches that papers made, by the names that they go by. */
static const struct {
  const char *name, *search;
} named[] = {{"pdp", "pdp.distance=1..256"},
             {"T", "profiled.threshold=1..16"},
             {"swl", "swl.warps=1..sm.warps/sm.schedulers"},
             {"tlp", "tb-limit.blocks=1..sm.blocks"},
             {"k", "two-level.high=0.6..0.9 +0.1"},
             {"random", "random-bypass.p=0.1..0.9 +0.1"}};

static const char *search_of(const char *text) {
  for (size_t i = 0; i < sizeof named / sizeof *named; i++)
    if (strcmp(named[i].name, text) == 0) return named[i].search;
  return text;
}

/* "KEY=VALUES" of `where`, an option or a scheme. */
static enum weir_status read_wanted(struct weir_comparison *c, const struct weir_settings *s,
                                    const char *where, const char *text, struct wanted *out,
                                    struct weir_err *err) {
  text = search_of(text);
  const char *eq = strchr(text, '=');
  struct weir_err why;
  if (eq == NULL || eq == text) {
    weir_fail(err, WEIR_EINVAL, "%s%s: want KEY=VALUES, or one of pdp, T, swl, tlp, k, random",
              where, text);
    weir_err_add(err,
                 "such as pdp.distance=1..256, random-bypass.p=0.1..0.9 +0.1, swl.warps=1,2,4");
    return WEIR_EINVAL;
  }
  out->key = weir_arena_strndup(&c->arena, text, (size_t)(eq - text));
  if (out->key == NULL) return no_memory(err);
  const char *values = with_machine(c, s, eq + 1);
  if (values == NULL) return no_memory(err);
  if (weir_axis_read(&c->arena, values, &out->values, &why) != WEIR_OK)
    return weir_fail(err, why.code, "%s%s: %s", where, text, why.msg);
  return WEIR_OK;
}

/* A parameter of a part is searched for the schemes that have the part; one of the machine for all.
 */
static bool concerns(const struct weir_scheme *scheme, const struct weir_setting *v) {
  const struct weir_policy_ops *o = weir_policy_find(v->group->prefix);
  const struct weir_org_ops *org = weir_organisation_find(v->group->prefix);
  if (o != NULL) return weir_scheme_has(scheme, o);
  return org == NULL || scheme->org == org;
}

/* The scheme and the first machine, to see what they have. It is not put there: that asks plug-ins,
 * which may crash. */
static enum weir_status open_scheme(const struct weir_comparison *c, const char *name,
                                    struct weir_setup *setup, struct weir_settings *settings,
                                    struct weir_err *err) {
  enum weir_status st = weir_comparison_settings(c, settings, err);
  if (st == WEIR_OK) st = weir_data_machine(settings, c->gpus.v[0], err);
  return st == WEIR_OK ? weir_setup_named(setup, name, settings, err) : st;
}

/* Which of the searches is a scheme's? *is_any: one is. */
static enum weir_status find_wanted(struct weir_comparison *c, const char *name, bool *was_used,
                                    struct wanted *out, bool *is_any, struct weir_err *err) {
  struct weir_setup setup = {0};
  struct weir_settings settings = {0};
  enum weir_status st = open_scheme(c, name, &setup, &settings, err);
  *is_any = false;
  for (size_t i = 0; st == WEIR_OK && i < c->bests.n; i++) {
    struct wanted w;
    st = read_wanted(c, &settings, "--best ", c->bests.v[i], &w, err);
    const struct weir_setting *v = st == WEIR_OK ? weir_settings_find(&settings, w.key) : NULL;
    if (st == WEIR_OK && v == NULL) st = weir_settings_unknown(&settings, w.key, NULL, err);
    if (st != WEIR_OK || !concerns(&setup.scheme, v)) continue;
    if (*is_any)
      st = weir_fail(err, WEIR_EINVAL,
                     "--best %s, --best %s: scheme %s has both; search one of them", out->key,
                     w.key, name);
    was_used[i] = *is_any = true;
    *out = w;
  }
  if (st == WEIR_OK && !*is_any && setup.scheme.best != NULL) {
    st = read_wanted(c, &settings, "best: ", setup.scheme.best, out, err);
    const struct weir_setting *v = st == WEIR_OK ? weir_settings_find(&settings, out->key) : NULL;
    /* A value that the user has chosen is the best by definition. */
    *is_any = v != NULL && v->layer < WEIR_LAYER_USER;
  }
  weir_setup_free(&setup);
  weir_settings_free(&settings);
  return st;
}

static enum weir_status add_search(struct weir_comparison *c, size_t column, const struct wanted *w,
                                   struct weir_err *err) {
  const struct weir_study_search x = {.key = w->key,
                                      .values = w->values.v,
                                      .n = w->values.n,
                                      .column = column,
                                      .is_whole = c->searches_all};
  return WEIR_PUSH(c->searches, x) ? WEIR_OK : no_memory(err);
}

/* Columns of the trials. */
static enum weir_status add_trials(struct weir_comparison *c, struct weir_err *err) {
  size_t n = c->n_shown;
  for (size_t i = 0; i < c->searches.n; i++)
    n += c->searches.v[i].n;
  c->trials = weir_arena_array(&c->arena, n + 1, sizeof *c->trials);
  if (c->trials == NULL) return no_memory(err);
  for (size_t i = 0; i < c->searches.n; i++) {
    struct weir_study_search *x = &c->searches.v[i];
    x->first = c->schemes.n;
    for (size_t k = 0; k < x->n; k++) {
      const char *set = weir_arena_printf(&c->arena, "%s=%s", x->key, x->values[k]);
      c->trials[c->schemes.n] = set;
      if (set == NULL || !WEIR_PUSH(c->schemes, c->schemes.v[x->column])) return no_memory(err);
    }
  }
  return WEIR_OK;
}

static enum weir_status check_used(const struct weir_comparison *c, const bool *was_used,
                                   struct weir_err *err) {
  for (size_t i = 0; i < c->bests.n; i++) {
    if (was_used[i]) continue;
    weir_fail(err, WEIR_EINVAL, "--best %s: none of the schemes has this parameter", c->bests.v[i]);
    weir_err_add(err, "add one that does to --schemes; 'weir list schemes' shows all");
    return WEIR_EINVAL;
  }
  return WEIR_OK;
}

enum weir_status weir_comparison_searches(struct weir_comparison *c, struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  bool *was_used = weir_arena_array(&c->arena, c->bests.n + 1, sizeof *was_used);
  if (was_used == NULL) return no_memory(err);
  c->n_shown = c->schemes.n;
  for (size_t i = 0; st == WEIR_OK && i < c->n_shown; i++) {
    struct wanted w;
    bool is_any;
    st = find_wanted(c, c->schemes.v[i], was_used, &w, &is_any, err);
    if (st == WEIR_OK && is_any && c->is_sweep && !c->may_search) {
      weir_fail(err, WEIR_EINVAL, "scheme %s is the best of several values of %s", c->schemes.v[i],
                w.key);
      weir_err_add(err, "a sweep runs them all: --set '%s=...'; weir compare finds the best",
                   w.key);
      st = WEIR_EINVAL;
    }
    if (st == WEIR_OK && is_any) st = add_search(c, i, &w, err);
  }
  if (st == WEIR_OK) st = check_used(c, was_used, err);
  return st == WEIR_OK ? add_trials(c, err) : st;
}
