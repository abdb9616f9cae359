/* Lines of a text file, plain or .xz, through one buffer. */
#ifndef WEIR_TRACE_ACCELSIM_TEXT_H
#define WEIR_TRACE_ACCELSIM_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/err.h"

struct weir_text_in {
  const char *path; /* the caller's */
  int fd;
  bool is_xz, is_end; /* is_end: the file holds nothing more */
  uint64_t line;      /* number of the line last returned */
  uint64_t at;        /* bytes of text before `buf` */
  uint64_t packed;    /* bytes read from an .xz file */
  char *buf, *next, *end;
  struct weir_xz *xz;
};

/* On failure nothing is left open. `where` (may be NULL) is the place that named the file. */
enum weir_status weir_text_in_open(struct weir_text_in *t, const char *path,
                                   const struct weir_where *where, struct weir_err *err);
void weir_text_in_close(struct weir_text_in *t);
/* To the first line again. */
enum weir_status weir_text_in_rewind(struct weir_text_in *t, struct weir_err *err);

/* The next line without its end, which is overwritten: **end is '\n', and spaces and a '\r' before
 * it are gone. *line is NULL after the last. Valid until the next call. */
enum weir_status weir_text_in_line(struct weir_text_in *t, char **line, char **end,
                                   struct weir_err *err);

/* An error at the line last returned; `at` (may be NULL) points into it. */
enum weir_status weir_text_in_fail(const struct weir_text_in *t, const char *line, const char *at,
                                   struct weir_err *err, enum weir_status code, const char *fmt,
                                   ...) __attribute__((format(printf, 6, 7)));

#endif
