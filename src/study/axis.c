#include "study/axis.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

struct values {
  const char **v;
  size_t n, cap;
};

static enum weir_status no_memory(struct weir_err *err) {
  return weir_fail(err, WEIR_ENOMEM, "out of memory");
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

static const char *trimmed(struct weir_arena *a, const char *from, const char *to) {
  while (from < to && is_blank(*from))
    from++;
  while (to > from && is_blank(to[-1]))
    to--;
  return weir_arena_strndup(a, from, (size_t)(to - from));
}

static enum weir_status add(struct values *all, const char *value, struct weir_err *err) {
  if (value == NULL) return no_memory(err);
  for (size_t i = 0; i < all->n; i++)
    if (strcmp(all->v[i], value) == 0)
      return weir_fail(err, WEIR_EINVAL, "the value '%s' comes twice", value);
  if (all->n == WEIR_AXIS_MOST)
    return weir_fail(err, WEIR_EINVAL, "more than %d values", WEIR_AXIS_MOST);
  return WEIR_PUSH(*all, value) ? WEIR_OK : no_memory(err);
}

/* ---- ranges ---- */

struct range {
  const char *text; /* all of it, for messages */
  const char *from, *to, *by;
  bool is_factor;
};

/* "FROM..TO xFACTOR" or "FROM..TO +STEP" in its pieces. Whole numbers go on by 1 unless it says
 * otherwise; of sizes, 16K..128K, nobody means that. */
static enum weir_status cut(struct weir_arena *a, const char *text, struct range *r,
                            struct weir_err *err) {
  const char *dots = strstr(text, ".."), *end = text + strlen(text), *blank = dots + 2;
  while (is_blank(*blank))
    blank++;
  while (*blank != 0 && !is_blank(*blank))
    blank++;
  const char *by = blank;
  while (is_blank(*by))
    by++;
  *r = (struct range){.text = text, .is_factor = *by == 'x'};
  if (*by == 0 && strspn(text, " .-0123456789") == strlen(text) && strchr(dots + 2, '.') == NULL &&
      memchr(text, '.', (size_t)(dots - text)) == NULL) {
    r->from = trimmed(a, text, dots);
    r->to = trimmed(a, dots + 2, blank);
    r->by = "1";
    return r->from != NULL && r->to != NULL ? WEIR_OK : no_memory(err);
  }
  if ((*by != 'x' && *by != '+') || by[1] == 0) {
    weir_fail(err, WEIR_EINVAL, "the range '%s' does not say how it goes on", text);
    weir_err_add(err, "a factor or a step stands behind it: '%.*s x2', '%.*s +1'",
                 (int)(blank - text), text, (int)(blank - text), text);
    return WEIR_EINVAL;
  }
  r->from = trimmed(a, text, dots);
  r->to = trimmed(a, dots + 2, blank);
  r->by = trimmed(a, by + 1, end);
  return r->from != NULL && r->to != NULL && r->by != NULL ? WEIR_OK : no_memory(err);
}

static enum weir_status refuse(const struct range *r, const char *why, struct weir_err *err) {
  return weir_fail(err, WEIR_EINVAL, "the range '%s': %s", r->text, why);
}

/* As the user would write it: 32K and not 32768, if the first value has such an ending. */
static const char *size_text(struct weir_arena *a, int64_t x, bool has_suffix) {
  static const char suffixes[] = "GMK";
  for (int i = 0; has_suffix && x != 0 && suffixes[i] != 0; i++) {
    int64_t unit = INT64_C(1) << (30 - 10 * i);
    if (x % unit == 0) return weir_arena_printf(a, "%" PRId64 "%c", x / unit, suffixes[i]);
  }
  return weir_arena_printf(a, "%" PRId64, x);
}

static enum weir_status whole_range(struct weir_arena *a, const struct range *r, int64_t from,
                                    int64_t to, int64_t by, struct values *all,
                                    struct weir_err *err) {
  bool has_suffix = strpbrk(r->from, "KMG") != NULL;
  enum weir_status st = WEIR_OK;
  if (r->is_factor ? by < 2 || from < 1 : by < 1)
    return refuse(r,
                  r->is_factor ? "it needs a factor of 2 or more, and a value to begin with "
                                 "that is above 0"
                               : "its step must be 1 or more",
                  err);
  for (int64_t x = from, next; st == WEIR_OK && x <= to; x = next) {
    st = add(all, size_text(a, x, has_suffix), err);
    bool is_over =
        r->is_factor ? __builtin_mul_overflow(x, by, &next) : __builtin_add_overflow(x, by, &next);
    if (is_over) break;
  }
  return st;
}

static int decimals(const char *text) {
  const char *dot = strchr(text, '.');
  return dot != NULL ? (int)strspn(dot + 1, "0123456789") : 0;
}

/* Steps are counted, not added up: 0.1..0.5 +0.1 ends with 0.5. */
static enum weir_status real_range(struct weir_arena *a, const struct range *r, double from,
                                   double to, double by, struct values *all, struct weir_err *err) {
  int digits = decimals(r->from) > decimals(r->by) ? decimals(r->from) : decimals(r->by);
  double slack = fabs(r->is_factor ? from : by) * 1e-9;
  enum weir_status st = WEIR_OK;
  if (r->is_factor ? by <= 1 || from <= 0 : by <= 0)
    return refuse(r,
                  r->is_factor ? "it needs a factor above 1, and a value to begin with that is "
                                 "above 0"
                               : "its step must be above 0",
                  err);
  for (int i = 0; st == WEIR_OK && i <= WEIR_AXIS_MOST; i++) {
    double x = r->is_factor ? from * pow(by, i) : from + by * i;
    if (x > to + slack) break;
    st = add(all,
             r->is_factor ? weir_arena_printf(a, "%.9g", x)
                          : weir_arena_printf(a, "%.*f", digits, x),
             err);
  }
  return st;
}

static enum weir_status add_range(struct weir_arena *a, const char *text, struct values *all,
                                  struct weir_err *err) {
  struct range r;
  int64_t from, to, by;
  double x, y, z;
  enum weir_status st = cut(a, text, &r, err);
  if (st != WEIR_OK) return st;
  bool is_whole =
      weir_parse_int(r.from, &from) && weir_parse_int(r.to, &to) && weir_parse_int(r.by, &by);
  if (!weir_parse_real(r.from, &x) || !weir_parse_real(r.to, &y) || !weir_parse_real(r.by, &z))
    return refuse(&r, "its ends and its step are numbers", err);
  if (x > y) return refuse(&r, "it ends before it begins", err);
  return is_whole ? whole_range(a, &r, from, to, by, all, err)
                  : real_range(a, &r, x, y, z, all, err);
}

/* ---- lists ---- */

static enum weir_status add_item(struct weir_arena *a, const char *from, const char *to,
                                 struct values *all, struct weir_err *err) {
  const char *item = trimmed(a, from, to);
  if (item == NULL) return no_memory(err);
  size_t n = strlen(item);
  if (n == 0) return weir_fail(err, WEIR_EINVAL, "a value is empty");
  if (item[0] == '[') return add(all, trimmed(a, item + 1, item + n - 1), err);
  return strstr(item, "..") != NULL ? add_range(a, item, all, err) : add(all, item, err);
}

/* To the comma that ends it, or the end. A bracket is a whole value or none of it. */
static enum weir_status item_end(const char *from, const char **end, struct weir_err *err) {
  while (is_blank(*from))
    from++;
  if (*from != '[') {
    *end = from + strcspn(from, ",");
    return WEIR_OK;
  }
  const char *close = strchr(from, ']');
  *end = close != NULL ? close + 1 : NULL;
  while (*end != NULL && is_blank(**end))
    ++*end;
  if (*end != NULL && (**end == 0 || **end == ',')) return WEIR_OK;
  weir_fail(err, WEIR_EINVAL, "'%s': a value in brackets has a '[' and a ']'", from);
  weir_err_add(err, "several of them: [0,8K],[0,96K]");
  return WEIR_EINVAL;
}

static enum weir_status read_list(struct weir_arena *a, const char *text, struct values *all,
                                  struct weir_err *err) {
  for (const char *at = text, *end;; at = end + 1) {
    enum weir_status st = item_end(at, &end, err);
    if (st == WEIR_OK) st = add_item(a, at, end, all, err);
    if (st != WEIR_OK || *end == 0) return st;
  }
}

enum weir_status weir_axis_read(struct weir_arena *a, const char *text,
                                struct weir_axis_values *out, struct weir_err *err) {
  struct values all = {0};
  *out = (struct weir_axis_values){0};
  enum weir_status st = read_list(a, text, &all, err);
  if (st == WEIR_OK) {
    const char **kept = weir_arena_array(a, all.n, sizeof *kept);
    for (size_t i = 0; kept != NULL && i < all.n; i++)
      kept[i] = all.v[i];
    if (kept == NULL) st = no_memory(err);
    if (st == WEIR_OK) *out = (struct weir_axis_values){kept, all.n};
  }
  free(all.v);
  return st;
}
