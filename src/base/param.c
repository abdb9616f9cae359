/* Parameter tables: text to typed fields and back. */
#include "weir/param.h"

#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "base/reference.h"
#include "base/registry.h"
#include "base/suggest.h"

enum { NAMES_MAX = 256, CHOICE_MAX = 64 };

/* "", "K", "KB", "KiB", ...: the shift, or -1. */
static int suffix_shift(const char *s) {
  static const char letters[] = "KMG";
  if (!*s) return 0;
  const char *at = strchr(letters, *s == 'k' ? 'K' : *s);
  if (!at || (s[1] && strcmp(s + 1, "B") != 0 && strcmp(s + 1, "iB") != 0)) return -1;
  return 10 * (int)(at - letters + 1);
}

bool weir_parse_int(const char *text, int64_t *out) {
  const char *digits = text + (*text == '-' || *text == '+');
  bool hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
  /* strtoll would take leading blanks, and base 0 would read 010 as eight. */
  if (hex ? !strchr("0123456789abcdefABCDEF", digits[2]) || !digits[2]
          : !(*digits >= '0' && *digits <= '9')) {
    return false;
  }
  char *end;
  errno = 0;
  long long v = strtoll(text, &end, hex ? 16 : 10);
  int shift = suffix_shift(end);
  int64_t scaled;
  if (errno || shift < 0 || __builtin_mul_overflow((int64_t)v, INT64_C(1) << shift, &scaled)) {
    return false;
  }
  *out = scaled;
  return true;
}

bool weir_parse_real(const char *text, double *out) {
  const char *p = text + (*text == '-' || *text == '+');
  if (!(*p >= '0' && *p <= '9') && !(*p == '.' && p[1] >= '0' && p[1] <= '9')) return false;
  if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) return false;
  /* glibc hands out its built-in "C" locale here: no allocation, nothing that can fail. */
  locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  char *end;
  double v = strtod_l(text, &end, c_locale);
  freelocale(c_locale);
  int shift = suffix_shift(end);
  if (shift < 0 || !isfinite(v)) return false;
  *out = ldexp(v, shift);
  return isfinite(*out);
}

bool weir_parse_number(const char *text, double *out) {
  int64_t whole;
  if (!weir_parse_int(text, &whole)) return weir_parse_real(text, out);
  *out = (double)whole;
  return true;
}

int weir_value_order(const char *a, const char *b) {
  double x, y;
  bool is_a = weir_parse_number(a, &x), is_b = weir_parse_number(b, &y);
  if (is_a && is_b && x != y) return x < y ? -1 : 1;
  if (is_a != is_b) return is_a ? -1 : 1;
  bool is_none_a = strcmp(a, "-") == 0, is_none_b = strcmp(b, "-") == 0;
  if (is_none_a != is_none_b) return is_none_a ? 1 : -1;
  return strcmp(a, b);
}

bool weir_value_equal(const char *a, const char *b) {
  double x, y;
  return strcmp(a, b) == 0 || (weir_parse_number(a, &x) && weir_parse_number(b, &y) && x == y);
}

bool weir_parse_bool(const char *text, bool *out) {
  static const char *const words[] = {"false", "true", "no", "yes", "off", "on", "0", "1"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (!strcmp(text, words[i])) {
      *out = i % 2;
      return true;
    }
  }
  return false;
}

size_t weir_param_count(const struct weir_param *table) {
  size_t n = 0;
  while (table[n].name)
    n++;
  return n;
}

const struct weir_param *weir_param_find(const struct weir_param *table, const char *name) {
  for (const struct weir_param *p = table; p->name; p++) {
    if (!strcmp(p->name, name)) return p;
  }
  return NULL;
}

static bool has_range(const struct weir_param *p) {
  return p->min != 0 || p->max != 0;
}

const char *weir_param_range(const struct weir_param *p, char *buf, size_t len) {
  if (p->choices) {
    size_t used = 0;
    for (const char *c = p->choices; *c && used + 1 < len; c++) {
      int n = *c == '|' ? snprintf(buf + used, len - used, ", ")
                        : snprintf(buf + used, len - used, "%c", *c);
      used += (size_t)n;
    }
  } else if (p->type == WEIR_BOOL) {
    snprintf(buf, len, "true, false");
  } else if (has_range(p) && (p->type == WEIR_INT || p->type == WEIR_REAL)) {
    snprintf(buf, len, "%.15g to %.15g", p->min, p->max);
  } else {
    snprintf(buf, len, "any");
  }
  return buf;
}

static enum weir_status bad_value(const struct weir_param *p, const char *text,
                                  const struct weir_where *where, struct weir_err *err,
                                  const char *problem) {
  char range[256];
  weir_fail_at(err, WEIR_EINVAL, where, "%s: '%.100s' %s", p->name, text, problem);
  if (strcmp(weir_param_range(p, range, sizeof range), "any") != 0) {
    weir_err_add(err, "accepted: %s%s%s", range, p->unit ? " " : "", p->unit ? p->unit : "");
  }
  return WEIR_EINVAL;
}

static void *field(const struct weir_param *p, void *cfg) {
  return (char *)cfg + p->offset;
}

static const void *const_field(const struct weir_param *p, const void *cfg) {
  return (const char *)cfg + p->offset;
}

/* An integer is compared as an integer where the limit is one: a double cannot hold all 64 bits. */
static bool int_in_range(const struct weir_param *p, int64_t v) {
  if (!has_range(p)) return true;
  bool above = p->min < -0x1p63 || (p->min < 0x1p63 && v >= (int64_t)ceil(p->min));
  bool below = p->max >= 0x1p63 || (p->max >= -0x1p63 && v <= (int64_t)floor(p->max));
  return above && below;
}

static enum weir_status set_int(const struct weir_param *p, void *cfg, const char *text,
                                const struct weir_where *where, struct weir_err *err) {
  int64_t v;
  if (!weir_parse_int(text, &v)) {
    return bad_value(p, text, where, err, "is not a whole number of 64 bits");
  }
  if (!int_in_range(p, v)) return bad_value(p, text, where, err, "is out of range");
  memcpy(field(p, cfg), &v, sizeof v);
  return WEIR_OK;
}

static enum weir_status set_real(const struct weir_param *p, void *cfg, const char *text,
                                 const struct weir_where *where, struct weir_err *err) {
  double v;
  if (!weir_parse_real(text, &v)) return bad_value(p, text, where, err, "is not a number");
  if (has_range(p) && (v < p->min || v > p->max)) {
    return bad_value(p, text, where, err, "is out of range");
  }
  memcpy(field(p, cfg), &v, sizeof v);
  return WEIR_OK;
}

static enum weir_status set_bool(const struct weir_param *p, void *cfg, const char *text,
                                 const struct weir_where *where, struct weir_err *err) {
  bool v;
  if (!weir_parse_bool(text, &v))
    return bad_value(p, text, where, err, "is neither true nor false");
  memcpy(field(p, cfg), &v, sizeof v);
  return WEIR_OK;
}

/* The place of `text` among "a|b|c", or -1. */
static int find_choice(const char *choices, const char *text) {
  size_t n = strlen(text);
  const char *c = choices;
  for (int at = 0; n; at++, c++) {
    size_t m = strcspn(c, "|");
    if (m == n && !memcmp(c, text, n)) return at;
    c += m;
    if (!*c) break;
  }
  return -1;
}

/* The choice at a place; an empty one where the place is none. */
static const char *choice_at(const char *choices, unsigned at, int *len) {
  const char *c = choices;
  for (; at && *c; at--) {
    c += strcspn(c, "|");
    c += *c == '|';
  }
  *len = (int)strcspn(c, "|");
  return c;
}

static void suggest_choice(const struct weir_param *p, const char *text, struct weir_err *err) {
  char copy[1024], *names[CHOICE_MAX], *rest = copy, *name;
  size_t n = 0;
  snprintf(copy, sizeof copy, "%s", p->choices);
  while (n < CHOICE_MAX && (name = strsep(&rest, "|")))
    names[n++] = name;
  const char *near = weir_nearest(text, (const char *const *)names, n);
  if (near) weir_err_add(err, "did you mean '%s'?", near);
}

static enum weir_status not_a_choice(const struct weir_param *p, const char *text,
                                     const struct weir_where *where, struct weir_err *err) {
  bad_value(p, text, where, err, "is not one of the choices");
  suggest_choice(p, text, err);
  return WEIR_EINVAL;
}

static enum weir_status set_str(const struct weir_param *p, void *cfg, const char *text,
                                const struct weir_where *where, struct weir_err *err) {
  if (p->choices && find_choice(p->choices, text) < 0) return not_a_choice(p, text, where, err);
  memcpy(field(p, cfg), &text, sizeof text);
  return WEIR_OK;
}

static enum weir_status set_enum(const struct weir_param *p, void *cfg, const char *text,
                                 const struct weir_where *where, struct weir_err *err) {
  if (!p->choices) return weir_fail(err, WEIR_EBUG, "parameter '%s' has no choices", p->name);
  int at = find_choice(p->choices, text);
  if (at < 0) return not_a_choice(p, text, where, err);
  memcpy(field(p, cfg), &at, sizeof at);
  return WEIR_OK;
}

static enum weir_status set_field(const struct weir_param *p, void *cfg, const char *text,
                                  const struct weir_where *where, struct weir_err *err) {
  switch (p->type) {
  case WEIR_BOOL:
    return set_bool(p, cfg, text, where, err);
  case WEIR_INT:
    return set_int(p, cfg, text, where, err);
  case WEIR_REAL:
    return set_real(p, cfg, text, where, err);
  case WEIR_STR:
    return set_str(p, cfg, text, where, err);
  case WEIR_ENUM:
    return set_enum(p, cfg, text, where, err);
  }
  return weir_fail(err, WEIR_EBUG, "parameter '%s' has no type", p->name);
}

void weir_param_defaults(const struct weir_param *table, void *cfg) {
  /* Defaults are checked by a test over all tables (weir_param_group_check), so they cannot fail.
   */
  for (const struct weir_param *p = table; p->name; p++)
    set_field(p, cfg, p->def, NULL, NULL);
}

enum weir_status weir_param_set(const struct weir_param *table, void *cfg, const char *name,
                                const char *text, const struct weir_where *where,
                                struct weir_err *err) {
  const struct weir_param *p = weir_param_find(table, name);
  if (p) return set_field(p, cfg, text, where, err);
  const char *names[NAMES_MAX];
  size_t n = 0;
  for (p = table; p->name && n < NAMES_MAX; p++)
    names[n++] = p->name;
  weir_fail_at(err, WEIR_ENOENT, where, "there is no parameter '%.100s'", name);
  const char *near = weir_nearest(name, names, n);
  if (near) weir_err_add(err, "did you mean '%s'?", near);
  return WEIR_ENOENT;
}

const char *weir_param_show(const struct weir_param *p, const void *cfg, char *buf, size_t len) {
  const void *at = const_field(p, cfg);
  int64_t i;
  double d;
  const char *s;
  unsigned place;
  int length;
  switch (p->type) {
  case WEIR_BOOL:
    snprintf(buf, len, "%s", *(const bool *)at ? "true" : "false");
    break;
  case WEIR_INT:
    memcpy(&i, at, sizeof i);
    snprintf(buf, len, "%" PRId64, i);
    break;
  case WEIR_REAL:
    memcpy(&d, at, sizeof d);
    /* The shortest text that reads back as the same number. */
    for (int digits = 6; digits <= 17; digits++) {
      snprintf(buf, len, "%.*g", digits, d);
      if (strtod(buf, NULL) == d) break;
    }
    break;
  case WEIR_STR:
    memcpy(&s, at, sizeof s);
    snprintf(buf, len, "%s", s ? s : "");
    break;
  case WEIR_ENUM:
    memcpy(&place, at, sizeof place);
    s = choice_at(p->choices, place, &length);
    snprintf(buf, len, "%.*s", length, s);
    break;
  }
  return buf;
}

static bool is_name(const char *s) {
  return *s >= 'a' && *s <= 'z' && !s[strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_")];
}

static bool is_prefix(const char *s) {
  return *s >= 'a' && *s <= 'z' && !s[strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_.-")];
}

static enum weir_status check_param(const struct weir_param_group *g, const struct weir_param *p,
                                    void *cfg, struct weir_err *err) {
  const char *wrong = NULL;
  if (!is_name(p->name)) wrong = "its name is not lower case letters, digits and '_'";
  if (!p->help || !*p->help) wrong = "it has no help";
  if (p->help && strchr(p->help, '\n')) wrong = "its help is more than one line";
  if (!p->def) wrong = "it has no default";
  if (weir_param_find(g->table, p->name) != p) wrong = "its name stands twice";
  if (p->choices && p->type != WEIR_STR && p->type != WEIR_ENUM)
    wrong = "it has choices but is neither an enum nor a string";
  if (!p->choices && p->type == WEIR_ENUM) wrong = "it is an enum without choices";
  if (p->min > p->max) wrong = "its range is empty";
  if (wrong) return weir_fail(err, WEIR_EBUG, "parameter %s.%s: %s", g->prefix, p->name, wrong);
  if (set_field(p, cfg, p->def, NULL, err) != WEIR_OK) {
    weir_err_add(err, "in the default of %s.%s", g->prefix, p->name);
    return WEIR_EBUG;
  }
  return WEIR_OK;
}

enum weir_status weir_param_group_check(const struct weir_param_group *g, struct weir_err *err) {
  if (!g->prefix || !is_prefix(g->prefix) || !g->about || !*g->about || !g->table) {
    return weir_fail(err, WEIR_EBUG, "a parameter group lacks prefix, about or table");
  }
  void *cfg = weir_calloc(1, g->cfg_bytes);
  if (!cfg) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  enum weir_status status = WEIR_OK;
  for (const struct weir_param *p = g->table; p->name && !status; p++) {
    if (p->offset >= g->cfg_bytes) {
      status =
          weir_fail(err, WEIR_EBUG, "parameter %s.%s lies outside its struct", g->prefix, p->name);
    } else {
      status = check_param(g, p, cfg, err);
    }
  }
  free(cfg);
  return status;
}
