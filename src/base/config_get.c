/* Walking and questioning a parsed file. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/config.h"
#include "base/number.h"
#include "base/suggest.h"

uint32_t weir_config_first(struct weir_config *c, uint32_t parent) {
  if (parent >= c->n || c->entry[parent].end == parent + 1) return 0;
  c->entry[parent + 1].used = true;
  return parent + 1;
}

uint32_t weir_config_next(struct weir_config *c, uint32_t i) {
  if (i == 0 || i >= c->n) return 0;
  uint32_t next = c->entry[i].end;
  if (next >= c->entry[c->entry[i].parent].end) return 0;
  c->entry[next].used = true;
  return next;
}

uint32_t weir_config_count(const struct weir_config *c, uint32_t parent) {
  uint32_t n = 0;
  if (parent >= c->n) return 0;
  for (uint32_t i = parent + 1; i < c->entry[parent].end; i = c->entry[i].end)
    n++;
  return n;
}

/* The element `index` of a sequence, without marking those before it. */
static uint32_t element(struct weir_config *c, uint32_t parent, unsigned long index) {
  for (uint32_t i = parent + 1; i < c->entry[parent].end; i = c->entry[i].end) {
    if (c->entry[i].index == index) {
      c->entry[i].used = true;
      return i;
    }
  }
  return 0;
}

/* One step of a path: ".name", "name" or "[n]". */
static uint32_t step(struct weir_config *c, uint32_t at, const char **path) {
  const char *p = *path;
  if (*p == '[') {
    unsigned long index = 0;
    const char *d = p + 1;
    for (; *d >= '0' && *d <= '9' && index <= WEIR_CONFIG_ENTRIES; d++) {
      index = index * 10 + (unsigned long)(*d - '0');
    }
    if (d == p + 1 || *d != ']' || c->entry[at].kind != WEIR_SEQ) return 0;
    *path = d + 1;
    return element(c, at, index);
  }
  char key[WEIR_CONFIG_KEY + 1];
  if (*p == '.') p++;
  size_t n = strcspn(p, ".[");
  if (n == 0 || n >= sizeof key) return 0;
  memcpy(key, p, n);
  key[n] = '\0';
  *path = p + n;
  return weir_config_find(c, at, key);
}

uint32_t weir_config_at(struct weir_config *c, const char *path) {
  uint32_t at = 0;
  if (!c->n || *path == '.') return 0;
  while (*path) {
    if (!(at = step(c, at, &path))) return 0;
  }
  return at;
}

const char *weir_config_get(struct weir_config *c, const char *path) {
  uint32_t i = weir_config_at(c, path);
  return i && c->entry[i].kind == WEIR_SCALAR ? c->entry[i].text : NULL;
}

static const char *kind_name(enum weir_node kind) {
  return kind == WEIR_MAP ? "a map" : kind == WEIR_SEQ ? "a list" : "a single value";
}

enum weir_status weir_config_want(const struct weir_config *c, uint32_t i, enum weir_node kind,
                                  struct weir_err *err) {
  const struct weir_entry *e = &c->entry[i];
  if (e->kind == kind) return WEIR_OK;
  return weir_config_fail(c, i, WEIR_EPARSE, err, "expected %s, found %s", kind_name(kind),
                          kind_name(e->kind));
}

enum weir_status weir_config_child(struct weir_config *c, uint32_t parent, const char *key,
                                   enum weir_node kind, bool required, uint32_t *out,
                                   struct weir_err *err) {
  *out = weir_config_find(c, parent, key);
  if (*out) return weir_config_want(c, *out, kind, err);
  if (!required) return WEIR_OK;
  return weir_config_fail(c, parent, WEIR_EPARSE, err, "'%s' is missing", key);
}

enum weir_status weir_config_int(const struct weir_config *c, uint32_t i, int64_t lo, int64_t hi,
                                 int64_t *out, struct weir_err *err) {
  enum weir_status status = weir_config_want(c, i, WEIR_SCALAR, err);
  if (status) return status;
  const char *text = c->entry[i].text;
  if (!weir_parse_int(text, out)) {
    return weir_config_fail(c, i, WEIR_EINVAL, err, "'%.60s' is not a whole number", text);
  }
  if (*out >= lo && *out <= hi) return WEIR_OK;
  return weir_config_fail(c, i, WEIR_EINVAL, err, "%s is out of range; accepted: %lld to %lld",
                          text, (long long)lo, (long long)hi);
}

enum weir_status weir_config_real(const struct weir_config *c, uint32_t i, double *out,
                                  struct weir_err *err) {
  enum weir_status status = weir_config_want(c, i, WEIR_SCALAR, err);
  if (status) return status;
  if (weir_parse_real(c->entry[i].text, out)) return WEIR_OK;
  return weir_config_fail(c, i, WEIR_EINVAL, err, "'%.60s' is not a number", c->entry[i].text);
}

void weir_config_use_all(struct weir_config *c, uint32_t i) {
  if (i >= c->n) return;
  for (uint32_t k = i, end = c->entry[i].end; k < end; k++)
    c->entry[k].used = true;
}

static enum weir_status unknown(const struct weir_config *c, uint32_t i, const char *const *names,
                                size_t n, struct weir_err *err) {
  const char *key = c->entry[i].key;
  char path[WEIR_CONFIG_PATH];
  struct weir_where where = weir_config_key_where(c, i);
  if (!key) {
    return weir_fail_at(err, WEIR_EINVAL, &where, "%.300s: nothing is known for this value",
                        weir_config_path(c, i, path, sizeof path));
  }
  where.width = (unsigned)strlen(key);
  weir_fail_at(err, WEIR_EINVAL, &where, "unknown key '%s'", key);
  const char *near = weir_nearest(key, names, n);
  if (near) {
    weir_err_add(err, "did you mean '%s'?", near);
  } else if (n) {
    char list[256];
    size_t used = 0;
    for (size_t k = 0; k < n && used < sizeof list; k++) {
      used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", k ? ", " : "", names[k]);
    }
    weir_err_add(err, "known here: %s%s", list, used < sizeof list ? "" : "...");
  }
  return WEIR_EINVAL;
}

enum weir_status weir_config_only(const struct weir_config *c, uint32_t parent,
                                  const char *const *names, size_t n, struct weir_err *err) {
  for (uint32_t i = parent + 1; i < c->entry[parent].end; i = c->entry[i].end) {
    bool known = false;
    for (size_t k = 0; k < n && c->entry[i].key && !known; k++) {
      known = !strcmp(c->entry[i].key, names[k]);
    }
    if (!known) return unknown(c, i, names, n, err);
  }
  return WEIR_OK;
}

enum weir_status weir_config_unused(const struct weir_config *c, const char *const *names, size_t n,
                                    struct weir_err *err) {
  for (uint32_t i = 0; i < c->n; i++) {
    if (!c->entry[i].used) return unknown(c, i, names, n, err);
  }
  return WEIR_OK;
}

const char *weir_config_path(const struct weir_config *c, uint32_t i, char *buf, size_t len) {
  uint32_t chain[WEIR_CONFIG_DEPTH + 1];
  size_t n = 0, used = 0;
  buf[0] = '\0';
  for (uint32_t at = i; at != 0 && n <= WEIR_CONFIG_DEPTH; at = c->entry[at].parent)
    chain[n++] = at;
  for (; n > 0 && used < len; n--) {
    const struct weir_entry *e = &c->entry[chain[n - 1]];
    int put = e->key ? snprintf(buf + used, len - used, "%s%s", used ? "." : "", e->key)
                     : snprintf(buf + used, len - used, "[%u]", (unsigned)e->index);
    used += put > 0 ? (size_t)put : 0;
  }
  return buf;
}

static struct weir_where where_of(const struct weir_config *c, uint32_t line, uint32_t col,
                                  uint32_t width) {
  return (struct weir_where){.file = c->file,
                             .source = c->source,
                             .source_len = c->source_len,
                             .line = line,
                             .col = col,
                             .width = width};
}

struct weir_where weir_config_where(const struct weir_config *c, uint32_t i) {
  const struct weir_entry *e = &c->entry[i];
  return where_of(c, e->line, e->col, e->width);
}

struct weir_where weir_config_key_where(const struct weir_config *c, uint32_t i) {
  const struct weir_entry *e = &c->entry[i];
  return where_of(c, e->key_line, e->key_col, e->key ? (uint32_t)strlen(e->key) : e->width);
}

enum weir_status weir_config_fail(const struct weir_config *c, uint32_t i, enum weir_status code,
                                  struct weir_err *err, const char *fmt, ...) {
  char path[WEIR_CONFIG_PATH], message[512];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(message, sizeof message, fmt, ap);
  va_end(ap);
  struct weir_where where = weir_config_where(c, i);
  weir_config_path(c, i, path, sizeof path);
  return weir_fail_at(err, code, &where, "%.300s%s%s", path, *path ? ": " : "", message);
}
