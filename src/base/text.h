/* A growing string for building output. Appending never fails loudly: the first failure is kept and
 * checked once at the end. */
#ifndef WEIR_BASE_TEXT_H
#define WEIR_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* What a text is shown on. */
struct weir_screen {
  size_t width; /* in columns; 0: any */
  bool has_colour;
};

struct weir_text {
  char *v; /* NUL-terminated, or NULL while empty; freed by weir_text_free */
  size_t n, cap;
  bool failed; /* the host was out of memory: the text is incomplete */
  /* Tables keep to it, and styles show on it; outlives the text. NULL: a file, of any width and
   * without colours. */
  const struct weir_screen *screen;
};

enum weir_style {
  WEIR_PLAIN,
  WEIR_BOLD, /* headings */
  WEIR_DIM,  /* notes */
  WEIR_BEST,
  WEIR_GAIN,
  WEIR_LOSS, /* and errors */
};

void weir_text_add(struct weir_text *t, const char *s, size_t n);
void weir_text_puts(struct weir_text *t, const char *s);
void weir_text_pad(struct weir_text *t, char c, size_t n);
void weir_text_printf(struct weir_text *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void weir_text_vprintf(struct weir_text *t, const char *fmt, va_list ap);
void weir_text_free(struct weir_text *t);
/* What follows has this style, until it is plain again; nothing is written where colours do not
 * show. */
void weir_text_style(struct weir_text *t, enum weir_style style);
/* A line that stands out. */
void weir_text_heading(struct weir_text *t, const char *line);
/* What makes a terminal show it. */
const char *weir_style_code(enum weir_style style);

/* Appends `s` as UTF-8, whatever bytes it has: one that belongs to no character becomes \xNN, and
 * so does a backslash in front of what would then read as one (\x5c). Putting the byte for each
 * \xNN gives `s` back. */
void weir_text_escape(struct weir_text *t, const char *s);
/* Appends what an escaped text stands for. */
void weir_text_unescape(struct weir_text *t, const char *s);

/* Appends `s` with line breaks instead of some blanks, so that no line is wider than `most` columns
 * if it has a blank to break at; `indent` stands before each line but the first, and counts. */
void weir_text_wrap(struct weir_text *t, const char *s, size_t most, const char *indent);

/* Columns that a UTF-8 text takes in a terminal; a broken byte counts as one. */
size_t weir_text_width(const char *s);
size_t weir_text_width_of(const char *s, size_t n); /* of its first n bytes */
/* Bytes of it that take no more than `width` columns. */
size_t weir_text_fit(const char *s, size_t width);
/* Appends a real in as few digits as read back as the same one: 0.1, 2.0, 1e+300. */
void weir_text_real(struct weir_text *t, double v);
/* 1234567 as "1,234,567". Returns `buf`, which needs 27 bytes. */
const char *weir_text_thousands(unsigned long long value, char *buf);
/* The next of the words of *at, which have commas between them; false after the last. */
bool weir_next_word(const char **at, char *word, size_t len);
/* For qsort and bsearch of `const char *`: by their bytes. */
int weir_by_text(const void *a, const void *b);

#endif
