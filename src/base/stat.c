/* Statistic tables: summing, showing and checking. */
#include "weir/stat.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/stat_io.h"

static uint64_t load(const void *base, size_t offset) {
  uint64_t v;
  memcpy(&v, (const char *)base + offset, sizeof v);
  return v;
}

void weir_stat_sum(const struct weir_stat *table, void *into, const void *from) {
  for (const struct weir_stat *s = table; s->name; s++) {
    if (s->kind == WEIR_RATIO || s->kind == WEIR_LEVEL) continue;
    uint64_t a = load(into, s->offset), b = load(from, s->offset);
    uint64_t v = s->kind == WEIR_COUNTER ? a + b : a > b ? a : b;
    memcpy((char *)into + s->offset, &v, sizeof v);
  }
}

void weir_stat_subtract(const struct weir_stat *table, void *later, const void *earlier) {
  for (const struct weir_stat *s = table; s->name; s++) {
    if (s->kind != WEIR_COUNTER) continue;
    uint64_t v = load(later, s->offset) - load(earlier, s->offset);
    memcpy((char *)later + s->offset, &v, sizeof v);
  }
}

size_t weir_stat_count(const struct weir_stat *table) {
  size_t n = 0;
  while (table[n].name)
    n++;
  return n;
}

const struct weir_stat *weir_stat_find(const struct weir_stat *table, const char *name) {
  for (const struct weir_stat *s = table; s->name; s++) {
    if (!strcmp(s->name, name)) return s;
  }
  return NULL;
}

uint64_t weir_stat_count_of(const struct weir_stat *row, const void *base) {
  return load(base, row->offset);
}

double weir_stat_value(const struct weir_stat *row, const void *base) {
  double v = (double)load(base, row->offset);
  if (row->kind != WEIR_RATIO) return v;
  uint64_t den = load(base, row->den_offset);
  return den ? v * (row->scale != 0 ? row->scale : 1) / (double)den : (double)NAN;
}

const char *weir_stat_show(const struct weir_stat *row, const void *base, char *buf, size_t len) {
  if (row->kind == WEIR_RATIO) {
    double v = weir_stat_value(row, base);
    snprintf(buf, len, isnan(v) ? "-" : "%.4g", v);
  } else {
    char digits[27];
    snprintf(buf, len, "%s", weir_text_thousands(load(base, row->offset), digits));
  }
  return buf;
}

enum weir_status weir_stat_text(const struct weir_stat *table, const char *prefix, const void *base,
                                struct weir_text *out, struct weir_err *err) {
  static const struct weir_column columns[] = {{"statistic", NULL, WEIR_LEFT},
                                               {"value", NULL, WEIR_RIGHT},
                                               {"unit", NULL, WEIR_LEFT},
                                               {"meaning", NULL, WEIR_LEFT}};
  struct weir_table *t = weir_table_new(columns, sizeof columns / sizeof *columns);
  if (!t) return weir_fail(err, WEIR_ENOMEM, "out of memory for a table");
  for (const struct weir_stat *s = table; s->name; s++) {
    char buf[32];
    if (s->kind == WEIR_LEVEL) continue;
    weir_table_cell(t, "%s%s%s", prefix ? prefix : "", prefix ? "." : "", s->name);
    weir_table_cell(t, "%s", weir_stat_show(s, base, buf, sizeof buf));
    weir_table_cell(t, "%s", s->unit ? s->unit : "");
    weir_table_cell(t, "%s", s->help);
  }
  enum weir_status status = weir_table_text(t, out, err);
  weir_table_free(t);
  return status;
}

static json_t *json_of(const struct weir_stat *s, const void *base) {
  if (s->kind == WEIR_RATIO) {
    return weir_json_real(weir_stat_value(s, base));
  }
  uint64_t v = load(base, s->offset);
  return v <= INT64_MAX ? json_integer((json_int_t)v) : json_real((double)v);
}

json_t *weir_stat_json(const struct weir_stat *table, const void *base) {
  json_t *object = json_object();
  for (const struct weir_stat *s = table; object && s->name; s++) {
    if (s->kind == WEIR_LEVEL) continue;
    if (json_object_set_new(object, s->name, json_of(s, base)) != 0) {
      json_decref(object);
      return NULL;
    }
  }
  return object;
}

/* rule: sum op sum; sum: term ('+' term)*; term: name or number. */
struct rule {
  const char *p;
  const struct weir_stat *table;
  const void *base;
};

static void skip_blanks(struct rule *r) {
  while (*r->p == ' ')
    r->p++;
}

static bool read_term(struct rule *r, uint64_t *sum) {
  char word[64];
  skip_blanks(r);
  size_t n = strspn(r->p, "abcdefghijklmnopqrstuvwxyz0123456789_");
  if (n == 0 || n >= sizeof word) return false;
  memcpy(word, r->p, n);
  word[n] = '\0';
  r->p += n;
  skip_blanks(r);
  if (word[0] >= '0' && word[0] <= '9') {
    int64_t v;
    if (!weir_parse_int(word, &v)) return false;
    *sum += (uint64_t)v;
    return true;
  }
  const struct weir_stat *s = weir_stat_find(r->table, word);
  if (!s || s->kind == WEIR_RATIO || s->kind == WEIR_LEVEL) return false;
  *sum += load(r->base, s->offset);
  return true;
}

static bool read_sum(struct rule *r, uint64_t *sum) {
  *sum = 0;
  if (!read_term(r, sum)) return false;
  while (*r->p == '+') {
    r->p++;
    if (!read_term(r, sum)) return false;
  }
  return true;
}

static bool holds(char op, uint64_t left, uint64_t right) {
  return op == '=' ? left == right : op == '<' ? left <= right : left >= right;
}

static enum weir_status verify_one(const struct weir_stat *table, const struct weir_check *c,
                                   const void *base, struct weir_err *err) {
  struct rule r = {c->rule, table, base};
  uint64_t left, right;
  bool good = read_sum(&r, &left);
  char op = r.p[0];
  good = good && (op == '=' || op == '<' || op == '>') && r.p[1] == '=';
  if (good) r.p += 2;
  if (!good || !read_sum(&r, &right) || *r.p) {
    return weir_fail(err, WEIR_EBUG, "conservation rule '%s' cannot be read at '%s'", c->rule, r.p);
  }
  if (holds(op, left, right)) return WEIR_OK;
  return weir_fail(err, WEIR_EBUG,
                   "conservation rule '%s' does not hold: %" PRIu64 " and %" PRIu64 "%s%s", c->rule,
                   left, right, c->why ? "\n  it holds because " : "", c->why ? c->why : "");
}

enum weir_status weir_stat_verify(const struct weir_stat *table, const struct weir_check *checks,
                                  const void *base, struct weir_err *err) {
  enum weir_status status = WEIR_OK;
  for (const struct weir_check *c = checks; c && c->rule && !status; c++) {
    status = verify_one(table, c, base, err);
  }
  return status;
}

enum weir_status weir_stat_group_check(const struct weir_stat_group *g, struct weir_err *err) {
  if (!g->prefix || !*g->prefix || !g->about || !*g->about || !g->table) {
    return weir_fail(err, WEIR_EBUG, "a statistic group lacks prefix, about or table");
  }
  size_t bytes = 0;
  for (const struct weir_stat *s = g->table; s->name; s++) {
    const char *wrong = NULL;
    if (!s->help || !*s->help) wrong = "it has no help";
    if (!s->unit || !*s->unit) wrong = "it has no unit";
    if (weir_stat_find(g->table, s->name) != s) wrong = "its name stands twice";
    if (wrong) return weir_fail(err, WEIR_EBUG, "statistic %s.%s: %s", g->prefix, s->name, wrong);
    if (s->offset + sizeof(uint64_t) > bytes) bytes = s->offset + sizeof(uint64_t);
    if (s->den_offset + sizeof(uint64_t) > bytes) bytes = s->den_offset + sizeof(uint64_t);
  }
  /* All zero satisfies every sound rule without constants; what matters is that each can be read.
   */
  void *zero = weir_calloc(1, bytes);
  if (!zero) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  enum weir_status status = weir_stat_verify(g->table, g->checks, zero, err);
  free(zero);
  return status;
}
