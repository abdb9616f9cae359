#include "base/effect.h"

#include <stdio.h>
#include <string.h>

#include "base/number.h"

enum { MAX_TERM = 256, MAX_WHEN = 1024 };

struct term {
  char key[MAX_TERM]; /* a fact, "part", or the path of a parameter */
  char op;            /* '=', '!', '>', '<'; 0: a fact */
  char value[MAX_TERM];
  char governs[MAX_TERM]; /* what the row says of it; may be empty */
};

/* ---- reading ---- */

/* Copies up to `sep`, or to the end; returns what is behind it, or NULL. */
static const char *cut(const char *text, const char *sep, char *out, size_t len) {
  const char *at = strstr(text, sep);
  size_t n = at != NULL ? (size_t)(at - text) : strlen(text);
  if (n >= len) n = len - 1;
  memcpy(out, text, n);
  out[n] = '\0';
  return at != NULL ? at + strlen(sep) : NULL;
}

static void read_term(const char *text, const char *prefix, struct term *t) {
  char body[MAX_TERM];
  const char *note = cut(text, " (", body, sizeof body);
  t->governs[0] = '\0';
  if (note != NULL) cut(note, ")", t->governs, sizeof t->governs);
  size_t n = strcspn(body, "=!><");
  t->op = body[n];
  t->value[0] = '\0';
  if (t->op != 0)
    snprintf(t->value, sizeof t->value, "%s", body + n + (body[n + 1] == '=' ? 2 : 1));
  body[n] = '\0';
  bool is_path = strchr(body, '.') != NULL || t->op == 0 || strcmp(body, "part") == 0;
  if (is_path)
    snprintf(t->key, sizeof t->key, "%s", body);
  else
    snprintf(t->key, sizeof t->key, "%s.%.100s", prefix, body);
}

/* ---- terms ---- */

static const struct weir_fact *find_fact(const struct weir_fact *v, const char *name) {
  for (; v->name != NULL; v++)
    if (strcmp(v->name, name) == 0) return v;
  return NULL;
}

static bool number_of(const char *text, double *out) {
  bool b;
  if (weir_parse_number(text, out)) return true;
  if (weir_parse_bool(text, &b)) return *out = b, true;
  return false;
}

static bool is_same(const char *a, const char *b) {
  double x, y;
  return strcmp(a, b) == 0 || (number_of(a, &x) && number_of(b, &y) && x == y);
}

/* A value may be that of another parameter. */
static const char *value_of(const struct weir_settings *s, const char *text) {
  const struct weir_setting *v = strchr(text, '.') != NULL ? weir_settings_find(s, text) : NULL;
  return v != NULL ? v->text : text;
}

static bool is_one_of(const struct weir_settings *s, const char *text, const char *list) {
  char one[MAX_TERM];
  do {
    list = cut(list, "|", one, sizeof one);
    if (is_same(text, value_of(s, one))) return true;
  } while (list != NULL);
  return false;
}

static bool compares(const struct weir_settings *s, const struct weir_setting *v,
                     const struct term *t) {
  double a, b;
  if (t->op == '=') return is_one_of(s, v->text, t->value);
  if (t->op == '!') return !is_one_of(s, v->text, t->value);
  if (!number_of(v->text, &a) || !number_of(value_of(s, t->value), &b)) return false;
  return t->op == '>' ? a > b : a < b;
}

static bool term_holds(const struct weir_settings *s, const struct weir_facts *f,
                       const struct term *t) {
  const struct weir_fact *fact = t->op == 0 ? find_fact(f->v, t->key) : NULL;
  if (t->op == 0) return fact != NULL && fact->holds;
  if (strcmp(t->key, "part") == 0) return f->has_part != NULL && f->has_part(f->self, t->value);
  const struct weir_setting *v = weir_settings_find(s, t->key);
  return v == NULL || compares(s, v, t);
}

static void op_text(const struct term *t, struct weir_text *out) {
  weir_text_printf(out, "%s%s%s", t->key, t->op == '!' ? "!=" : (const char[]){t->op, 0}, t->value);
}

/* What is so instead. */
static void explain_term(const struct weir_settings *s, const struct weir_facts *f,
                         const struct term *t, struct weir_text *why) {
  char origin[512];
  const struct weir_fact *fact = t->op == 0 ? find_fact(f->v, t->key) : NULL;
  if (fact != NULL) {
    weir_text_puts(why, fact->instead);
    if (fact->who != NULL) weir_text_printf(why, " (%s)", fact->who);
    if (t->governs[0] != '\0') weir_text_printf(why, ": %s", t->governs);
    if (fact->remedy != NULL) weir_text_printf(why, "\nremedy: %s", fact->remedy);
    return;
  }
  if (t->op == 0) { /* "never" */
    weir_text_puts(why, t->governs[0] != '\0' ? t->governs : t->key);
    return;
  }
  if (strcmp(t->key, "part") == 0) {
    weir_text_printf(why, "%s is no part of the L1", t->value);
    weir_text_printf(why, "\nremedy: a scheme with it ('weir list schemes'), or --policies");
    return;
  }
  const struct weir_setting *v = weir_settings_find(s, t->key);
  weir_text_printf(why, "%s is %s (%s)", t->key, v->text,
                   weir_setting_origin(v, origin, sizeof origin));
  if (t->governs[0] != '\0') weir_text_printf(why, ": %s", t->governs);
  weir_text_puts(why, "\nit has one with ");
  op_text(t, why);
}

/* ---- conditions ---- */

static bool all_hold(const struct weir_settings *s, const struct weir_facts *f, const char *prefix,
                     const char *text, struct term *failed) {
  char one[MAX_TERM];
  for (const char *rest = text; rest != NULL;) {
    struct term t;
    rest = cut(rest, " and ", one, sizeof one);
    read_term(one, prefix, &t);
    if (term_holds(s, f, &t)) continue;
    *failed = t;
    return false;
  }
  return true;
}

/* `failed`: of the first alternative, which is the usual one. */
static bool any_holds(const struct weir_settings *s, const struct weir_facts *f, const char *prefix,
                      const char *text, struct term *failed) {
  char one[MAX_WHEN];
  bool is_first = true;
  for (const char *rest = text; rest != NULL; is_first = false) {
    struct term t;
    rest = cut(rest, " or ", one, sizeof one);
    if (all_hold(s, f, prefix, one, &t)) return true;
    if (is_first) *failed = t;
  }
  return false;
}

static bool is_empty(const char *text) {
  return text == NULL || *text == '\0';
}

bool weir_has_effect(const struct weir_settings *s, const struct weir_setting *v,
                     const struct weir_facts *f, struct weir_text *why) {
  const struct weir_param_group *g = v->group;
  const char *row = v->param->when, *alone = NULL;
  char first[MAX_WHEN] = "";
  struct term failed, ignored;
  if (row != NULL) alone = cut(row, "; or ", first, sizeof first);
  bool holds = (is_empty(g->when) || any_holds(s, f, g->prefix, g->when, &failed)) &&
               (is_empty(first) || any_holds(s, f, g->prefix, first, &failed));
  if (!holds && alone != NULL) holds = any_holds(s, f, g->prefix, alone, &ignored);
  if (!holds && why != NULL) explain_term(s, f, &failed, why);
  return holds;
}

/* ---- the user's settings ---- */

static enum weir_status refuse(const struct weir_settings *s, const struct weir_setting *v,
                               const struct weir_facts *f, size_t n, struct weir_err *err) {
  struct weir_text why = {0};
  char origin[512];
  weir_has_effect(s, v, f, &why);
  if (why.failed || why.v == NULL) {
    weir_text_free(&why);
    return weir_fail(err, WEIR_ENOMEM, "out of memory");
  }
  char *line = why.v, *next = strchr(line, '\n');
  if (next != NULL) *next++ = '\0';
  weir_fail(err, WEIR_EINVAL, "%s.%s=%.100s (%s) has no effect%s: %s", v->group->prefix,
            v->param->name, v->text, weir_setting_origin(v, origin, sizeof origin),
            n > 1 ? " in any of the runs" : "", line);
  if (next != NULL) weir_err_add(err, "%s", next);
  weir_text_free(&why);
  return WEIR_EINVAL;
}

enum weir_status weir_effects_check(const struct weir_settings *const *s,
                                    const struct weir_facts *const *f, size_t n,
                                    struct weir_err *err) {
  for (size_t i = 0; n > 0 && i < s[0]->n; i++) {
    bool is_felt = !weir_setting_is_users(&s[0]->v[i]);
    for (size_t k = 0; !is_felt && k < n; k++)
      is_felt = weir_has_effect(s[k], &s[k]->v[i], f[k], NULL);
    if (!is_felt) return refuse(s[0], &s[0]->v[i], f[0], n, err);
  }
  return WEIR_OK;
}

/* ---- for people ---- */

static void put_terms(const char *prefix, const char *text, const struct weir_fact *facts,
                      struct weir_text *out) {
  char either[MAX_WHEN], one[MAX_TERM];
  for (const char *rest = text, *more; rest != NULL;) {
    rest = cut(rest, " or ", either, sizeof either);
    for (more = either; more != NULL;) {
      struct term t;
      more = cut(more, " and ", one, sizeof one);
      read_term(one, prefix, &t);
      const struct weir_fact *fact = t.op == 0 ? find_fact(facts, t.key) : NULL;
      if (fact != NULL)
        weir_text_puts(out, fact->meaning);
      else if (t.op == 0)
        weir_text_printf(out, "%s; %s", t.key, t.governs);
      else if (strcmp(t.key, "part") == 0)
        weir_text_printf(out, "%s is a part of the L1", t.value);
      else
        op_text(&t, out);
      if (more != NULL) weir_text_puts(out, ", ");
    }
    if (rest != NULL) weir_text_puts(out, "; or ");
  }
}

void weir_effect_text(const struct weir_param_group *g, const struct weir_param *p,
                      const struct weir_fact *facts, struct weir_text *out) {
  char first[MAX_WHEN] = "";
  const char *when = p != NULL ? p->when : g->when;
  const char *alone = when != NULL ? cut(when, "; or ", first, sizeof first) : NULL;
  if (!is_empty(first)) put_terms(g->prefix, first, facts, out);
  if (alone == NULL) return;
  weir_text_puts(out, is_empty(first) ? "also if " : "; or ");
  put_terms(g->prefix, alone, facts, out);
}

/* ---- soundness ---- */

static enum weir_status check_term(const struct weir_settings *s, const struct weir_fact *facts,
                                   const struct weir_param_group *g, const char *row,
                                   const char *text, struct weir_err *err) {
  struct term t;
  if (strlen(text) + strlen(g->prefix) + 2 > MAX_TERM)
    return weir_fail(err, WEIR_EBUG, "condition of %s.%s: a term is too long", g->prefix, row);
  read_term(text, g->prefix, &t);
  bool is_never = t.op == 0 && strcmp(t.key, "never") == 0 && t.governs[0] != '\0';
  const struct weir_setting *v = t.op != 0 ? weir_settings_find(s, t.key) : NULL;
  bool is_known = t.op == 0 ? is_never || find_fact(facts, t.key) != NULL
                            : v != NULL || strcmp(t.key, "part") == 0;
  if (!is_known)
    return weir_fail(err, WEIR_EBUG, "condition of %s.%s: there is no '%.100s'", g->prefix, row,
                     t.key);
  if (v == NULL || strchr(t.value, '.') != NULL) return WEIR_OK;
  char one[MAX_TERM];
  for (const char *rest = t.value; rest != NULL;) {
    struct weir_err why;
    struct weir_param table[2] = {*v->param, WEIR_PARAM_END};
    _Alignas(int64_t) char cfg[sizeof(int64_t)]; /* any value fits */
    table[0].offset = 0;
    rest = cut(rest, "|", one, sizeof one);
    if (weir_param_set(table, cfg, table[0].name, one, NULL, &why) != WEIR_OK)
      return weir_fail(err, WEIR_EBUG, "condition of %s.%s: %s", g->prefix, row, why.msg);
  }
  return WEIR_OK;
}

static enum weir_status check_condition(const struct weir_settings *s,
                                        const struct weir_fact *facts,
                                        const struct weir_param_group *g, const char *row,
                                        const char *text, struct weir_err *err) {
  char either[MAX_WHEN], one[MAX_TERM];
  enum weir_status st = WEIR_OK;
  for (const char *rest = text; st == WEIR_OK && rest != NULL;) {
    rest = cut(rest, " or ", either, sizeof either);
    for (const char *more = either; st == WEIR_OK && more != NULL;) {
      more = cut(more, " and ", one, sizeof one);
      st = check_term(s, facts, g, row, one, err);
    }
  }
  return st;
}

enum weir_status weir_effects_sound(const struct weir_settings *s, const struct weir_fact *facts,
                                    struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  for (size_t i = 0; st == WEIR_OK && i < s->n; i++) {
    const struct weir_param_group *g = s->v[i].group;
    const char *row = s->v[i].param->name, *when = s->v[i].param->when;
    char first[MAX_WHEN];
    if (when != NULL && strlen(when) >= MAX_WHEN)
      return weir_fail(err, WEIR_EBUG, "condition of %s.%s: it is too long", g->prefix, row);
    if (!is_empty(g->when)) st = check_condition(s, facts, g, row, g->when, err);
    if (st != WEIR_OK || is_empty(when)) continue;
    const char *alone = cut(when, "; or ", first, sizeof first);
    if (!is_empty(first)) st = check_condition(s, facts, g, row, first, err);
    if (st == WEIR_OK && alone != NULL) st = check_condition(s, facts, g, row, alone, err);
  }
  return st;
}
