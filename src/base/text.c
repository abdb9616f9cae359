/* Growing strings and their width in a terminal. */
#include "base/text.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

static bool reserve(struct weir_text *t, size_t more) {
  if (t->failed) return false;
  if (more < t->cap - t->n) return true;
  if (more >= SIZE_MAX - t->n || !weir_vec_grow((void **)&t->v, &t->cap, t->n + more + 1, 1)) {
    t->failed = true;
  }
  return !t->failed;
}

void weir_text_add(struct weir_text *t, const char *s, size_t n) {
  if (!reserve(t, n)) return;
  if (n) memcpy(t->v + t->n, s, n);
  t->n += n;
  t->v[t->n] = '\0';
}

void weir_text_puts(struct weir_text *t, const char *s) {
  weir_text_add(t, s, strlen(s));
}

void weir_text_pad(struct weir_text *t, char c, size_t n) {
  if (!reserve(t, n)) return;
  memset(t->v + t->n, c, n);
  t->n += n;
  t->v[t->n] = '\0';
}

void weir_text_vprintf(struct weir_text *t, const char *fmt, va_list ap) {
  va_list again;
  va_copy(again, ap);
  int n = vsnprintf(NULL, 0, fmt, again);
  va_end(again);
  if (n < 0) t->failed = true;
  if (n < 0 || !reserve(t, (size_t)n)) return;
  vsnprintf(t->v + t->n, (size_t)n + 1, fmt, ap);
  t->n += (size_t)n;
}

void weir_text_printf(struct weir_text *t, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  weir_text_vprintf(t, fmt, ap);
  va_end(ap);
}

void weir_text_free(struct weir_text *t) {
  free(t->v);
  *t = (struct weir_text){0};
}

/* Of the eight colours that every terminal has in some shade that its owner can read. */
const char *weir_style_code(enum weir_style style) {
  static const char *const codes[] = {
      [WEIR_PLAIN] = "\033[0m",   [WEIR_BOLD] = "\033[1m",  [WEIR_DIM] = "\033[2m",
      [WEIR_BEST] = "\033[1;32m", [WEIR_GAIN] = "\033[32m", [WEIR_LOSS] = "\033[31m"};
  return codes[style];
}

void weir_text_style(struct weir_text *t, enum weir_style style) {
  if (t->screen != NULL && t->screen->has_colour) weir_text_puts(t, weir_style_code(style));
}

void weir_text_heading(struct weir_text *t, const char *line) {
  weir_text_style(t, WEIR_BOLD);
  weir_text_puts(t, line);
  weir_text_style(t, WEIR_PLAIN);
  weir_text_puts(t, "\n");
}

/* Decode one character; a byte that starts no valid sequence stands for itself. */
static size_t decode(const unsigned char *s, uint32_t *out) {
  static const struct {
    unsigned char mask, lead;
    uint32_t least;
  } forms[] = {{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
  for (size_t more = 0; more < 4; more++) {
    if ((s[0] & forms[more].mask) != forms[more].lead) continue;
    uint32_t c = s[0] & (uint32_t)(unsigned char)~forms[more].mask;
    for (size_t i = 1; i <= more; i++) {
      if ((s[i] & 0xc0) != 0x80) goto broken;
      c = c << 6 | (s[i] & 0x3fu);
    }
    if (c < forms[more].least || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff)) break;
    *out = c;
    return more + 1;
  }
broken:
  *out = 0xfffd;
  return 1;
}

/* The wide ranges of Unicode's EastAsianWidth that occur in practice. */
static size_t columns(uint32_t c) {
  if ((c >= 0x0300 && c <= 0x036f) || c == 0x200b || c == 0x200d || (c >= 0xfe00 && c <= 0xfe0f)) {
    return 0;
  }
  bool wide = (c >= 0x1100 && c <= 0x115f) || (c >= 0x2e80 && c <= 0xa4cf) ||
              (c >= 0xac00 && c <= 0xd7a3) || (c >= 0xf900 && c <= 0xfaff) ||
              (c >= 0xfe30 && c <= 0xfe6f) || (c >= 0xff00 && c <= 0xff60) ||
              (c >= 0xffe0 && c <= 0xffe6) || (c >= 0x1f300 && c <= 0x1faff) ||
              (c >= 0x20000 && c <= 0x3fffd);
  return wide ? 2 : 1;
}

static size_t width_until(const char *s, const char *end) {
  size_t width = 0;
  for (const unsigned char *p = (const unsigned char *)s; p < (const unsigned char *)end;) {
    uint32_t c;
    p += decode(p, &c);
    width += columns(c);
  }
  return width;
}

size_t weir_text_width(const char *s) {
  return width_until(s, s + strlen(s));
}

size_t weir_text_width_of(const char *s, size_t n) {
  return width_until(s, s + n);
}

size_t weir_text_fit(const char *s, size_t width) {
  const unsigned char *p = (const unsigned char *)s;
  for (size_t used = 0; *p != 0;) {
    uint32_t c;
    size_t n = decode(p, &c);
    used += columns(c);
    if (used > width) break;
    p += n;
  }
  return (size_t)(p - (const unsigned char *)s);
}

void weir_text_wrap(struct weir_text *t, const char *s, size_t most, const char *indent) {
  size_t used = 0;
  while (*s) {
    size_t n = strcspn(s, " "), width = width_until(s, s + n);
    if (used > 0 && used + 1 + width > most) {
      weir_text_puts(t, "\n");
      weir_text_puts(t, indent);
      used = weir_text_width(indent);
    } else if (used > 0) {
      weir_text_puts(t, " ");
      used++;
    }
    weir_text_add(t, s, n);
    used += width;
    s += n;
    s += strspn(s, " ");
  }
}

static bool is_escape(const unsigned char *s) {
  return s[0] == '\\' && s[1] == 'x' && isxdigit(s[2]) && isxdigit(s[3]);
}

void weir_text_escape(struct weir_text *t, const char *s) {
  const unsigned char *p = (const unsigned char *)s, *from = p;
  while (*p) {
    uint32_t c;
    size_t n = decode(p, &c);
    bool is_broken = n == 1 && *p >= 0x80;
    if (is_broken || is_escape(p)) {
      weir_text_add(t, (const char *)from, (size_t)(p - from));
      weir_text_printf(t, "\\x%02x", *p);
      from = p + n;
    }
    p += n;
  }
  weir_text_add(t, (const char *)from, (size_t)(p - from));
}

static unsigned digit(unsigned char c) {
  return (unsigned)(isdigit(c) ? c - '0' : tolower(c) - 'a' + 10);
}

void weir_text_unescape(struct weir_text *t, const char *s) {
  const unsigned char *p = (const unsigned char *)s, *from = p;
  while (*p) {
    char byte = is_escape(p) ? (char)(digit(p[2]) << 4 | digit(p[3])) : 0;
    if (byte != 0) {
      weir_text_add(t, (const char *)from, (size_t)(p - from));
      weir_text_add(t, &byte, 1);
      from = p + 4;
    }
    p += byte != 0 ? 4 : 1;
  }
  weir_text_add(t, (const char *)from, (size_t)(p - from));
}

void weir_text_real(struct weir_text *t, double v) {
  char text[40];
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, v);
    if (strtod(text, NULL) == v) break;
  }
  weir_text_puts(t, text);
  if (strpbrk(text, ".eni") == NULL) weir_text_puts(t, ".0");
}

const char *weir_text_thousands(unsigned long long value, char *buf) {
  char digits[21];
  int n = snprintf(digits, sizeof digits, "%llu", value);
  char *out = buf;
  for (int i = 0; i < n; i++) {
    if (i && (n - i) % 3 == 0) *out++ = ',';
    *out++ = digits[i];
  }
  *out = '\0';
  return buf;
}

bool weir_next_word(const char **at, char *word, size_t len) {
  if (*at == NULL) return false;
  size_t n = strcspn(*at, ",");
  snprintf(word, len, "%.*s", (int)n, *at);
  *at = (*at)[n] != 0 ? *at + n + 1 : NULL;
  return true;
}

int weir_by_text(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}
