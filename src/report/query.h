/* What queries give, and what a store holds: for people and for programs. */
#ifndef WEIR_REPORT_QUERY_H
#define WEIR_REPORT_QUERY_H

#include "base/text.h"
#include "study/query.h"
#include "weir/err.h"

enum weir_query_format {
  WEIR_QUERY_TABLE, /* aligned; reals with six digits, "-" for no value */
  WEIR_QUERY_CSV,   /* RFC 4180; nothing for no value */
  WEIR_QUERY_JSON   /* a list of objects; of several statements, a list of such lists */
};

/* Where a text goes, piece by piece. */
struct weir_sink {
  enum weir_status (*put)(void *self, const char *text, size_t n, struct weir_err *err);
  void *self;
  const struct weir_screen *screen; /* of tables */
};

/* What goes there comes together in `text`. */
struct weir_pieces {
  const struct weir_sink *to;
  struct weir_text text;
};
enum { WEIR_PIECE = 1 << 16 }; /* enough to be handed on */
/* Hands it on, if it is anything, and `least` bytes or more. */
enum weir_status weir_pieces_hand_on(struct weir_pieces *p, size_t least, struct weir_err *err);

/* Runs the statements, one after the other; an empty line stands between their tables. */
enum weir_status weir_query_show(struct weir_query *q, enum weir_query_format format,
                                 const struct weir_sink *to, struct weir_err *err);

/* What there is to ask about: runs, what was varied, tables with their columns, and statistics. */
enum weir_status weir_store_overview(struct weir_store *s, const char *path, struct weir_text *out,
                                     struct weir_err *err);

#endif
