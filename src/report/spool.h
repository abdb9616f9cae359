/* JSON of launches, out of memory: a program may have millions. What a report says about each is
 * written down when the next one comes, and copied into the output at the end.
 *
 * All spools of the process share one file, for a script may start thousands of programs. */
#ifndef WEIR_REPORT_SPOOL_H
#define WEIR_REPORT_SPOOL_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/err.h"

struct weir_spool {
  struct weir_spool_part {
    uint64_t at, bytes;
  } * v; /* where its elements lie in the file; neighbours are one part */
  size_t n, cap;
};

/* One more element, as it stands in an array at `depth` of a text of JSON_INDENT(1). */
enum weir_status weir_spool_add(struct weir_spool *s, const json_t *o, unsigned depth,
                                struct weir_err *err);
/* The array, in pieces. */
enum weir_status weir_spool_copy(const struct weir_spool *s, unsigned depth,
                                 enum weir_status (*put)(void *self, const char *text, size_t n,
                                                         struct weir_err *err),
                                 void *self, struct weir_err *err);
void weir_spool_close(struct weir_spool *s);

#endif
