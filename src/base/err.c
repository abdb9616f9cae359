/* Error records. A message is built in one pass into a fixed buffer, so that reporting an error can
 * never fail itself; what does not fit is cut and marked. */
#include "weir/err.h"

#include <stdio.h>
#include <string.h>

enum { LINE_SHOWN_MAX = 160 }; /* of a source line, in characters */

struct cursor {
  char *buf;
  size_t len, used;
};

/* Ends the text at a whole UTF-8 character and says that something is missing. */
static void mark_cut(struct cursor *c) {
  static const char mark[] = " [...]";
  size_t at = c->len - sizeof mark;
  while (at > 0 && ((unsigned char)c->buf[at] & 0xc0) == 0x80)
    at--;
  memcpy(c->buf + at, mark, sizeof mark);
  c->used = strlen(c->buf);
}

static void vput(struct cursor *c, const char *fmt, va_list ap) {
  size_t left = c->len - c->used;
  if (left <= 1) return;
  int n = vsnprintf(c->buf + c->used, left, fmt, ap);
  if (n < 0) return;
  if ((size_t)n < left) {
    c->used += (size_t)n;
  } else {
    c->used = c->len - 1;
    mark_cut(c);
    c->len = c->used + 1; /* full: later pieces are dropped whole */
  }
}

__attribute__((format(printf, 2, 3))) static void put(struct cursor *c, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  vput(c, fmt, ap);
  va_end(ap);
}

static size_t char_len(const char *s, const char *end) {
  size_t n = 1;
  while (s + n < end && n < 4 && ((unsigned char)s[n] & 0xc0) == 0x80)
    n++;
  return n;
}

static const char *find_line(const struct weir_where *w, const char **end) {
  const char *s = w->source, *stop = s + w->source_len;
  for (unsigned line = 1; line < w->line; line++) {
    const char *nl = memchr(s, '\n', (size_t)(stop - s));
    if (!nl) return NULL;
    s = nl + 1;
  }
  const char *nl = s < stop ? memchr(s, '\n', (size_t)(stop - s)) : NULL;
  *end = nl ? nl : stop;
  if (*end > s && (*end)[-1] == '\r') (*end)--;
  return s;
}

/* The line, with a window around the column if it is long, then a caret below. Control characters
 * become spaces: the text may come from anywhere, and the caret must stand under its character. */
static void put_source(struct cursor *c, const struct weir_where *w) {
  const char *end = NULL, *s;
  if (!w->source || !w->line || !w->col || !(s = find_line(w, &end))) return;
  unsigned first = w->col > LINE_SHOWN_MAX * 3 / 4 ? w->col - LINE_SHOWN_MAX / 2 : 1, col = 1;
  while (s < end && col < first) {
    s += char_len(s, end);
    col++;
  }
  put(c, "\n  ");
  unsigned shown = 0, after = 0; /* after: characters from the column on */
  while (s < end && shown < LINE_SHOWN_MAX) {
    size_t n = char_len(s, end);
    if (n == 1 && ((unsigned char)*s < 0x20 || (unsigned char)*s >= 0x7f)) {
      put(c, " ");
    } else {
      put(c, "%.*s", (int)n, s);
    }
    if (col >= w->col) after++;
    s += n;
    col++;
    shown++;
  }
  put(c, "\n  %*s^", (int)(w->col - first), "");
  unsigned width = w->width < after ? w->width : after;
  for (unsigned i = 1; i < width; i++)
    put(c, "~");
}

enum weir_status weir_vfail_at(struct weir_err *err, enum weir_status code,
                               const struct weir_where *where, const char *fmt, va_list ap) {
  if (!err) return code;
  err->code = code;
  err->msg[0] = '\0';
  struct cursor c = {err->msg, sizeof err->msg, 0};
  if (where && where->file) {
    put(&c, "%.512s:", where->file);
    if (where->line) put(&c, "%u:", where->line);
    if (where->line && where->col) put(&c, "%u:", where->col);
    put(&c, " ");
  } else if (where && where->line) {
    put(&c, "%u:%u: ", where->line, where->col);
  }
  vput(&c, fmt, ap);
  if (where) put_source(&c, where);
  return code;
}

enum weir_status weir_fail_at(struct weir_err *err, enum weir_status code,
                              const struct weir_where *where, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  weir_vfail_at(err, code, where, fmt, ap);
  va_end(ap);
  return code;
}

enum weir_status weir_fail(struct weir_err *err, enum weir_status code, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  weir_vfail_at(err, code, NULL, fmt, ap);
  va_end(ap);
  return code;
}

void weir_err_add(struct weir_err *err, const char *fmt, ...) {
  if (!err) return;
  struct cursor c = {err->msg, sizeof err->msg, strlen(err->msg)};
  if (c.used) put(&c, "\n  ");
  va_list ap;
  va_start(ap, fmt);
  vput(&c, fmt, ap);
  va_end(ap);
}

const char *weir_status_name(enum weir_status code) {
  switch (code) {
  case WEIR_OK:
    return "ok";
  case WEIR_EINVAL:
    return "invalid value";
  case WEIR_ENOMEM:
    return "out of memory";
  case WEIR_ENOENT:
    return "not found";
  case WEIR_EIO:
    return "input/output error";
  case WEIR_EPARSE:
    return "syntax error";
  case WEIR_EFAULT:
    return "program fault";
  case WEIR_ELIMIT:
    return "limit reached";
  case WEIR_EBUG:
    return "internal error";
  }
  return "unknown status";
}

int weir_status_exit(enum weir_status code) {
  switch (code) {
  case WEIR_OK:
    return 0;
  case WEIR_EINVAL:
  case WEIR_ENOENT:
  case WEIR_EPARSE:
    return 2;
  case WEIR_ENOMEM:
  case WEIR_EIO:
  case WEIR_EFAULT:
  case WEIR_ELIMIT:
    return 1;
  case WEIR_EBUG:
    return 3;
  }
  return 3;
}
