/* SQL on a store that is open for reading.
 *
 * All statements are checked before the first one runs, and see the store as it is at one moment.
 * Besides SQLite's functions there are geomean(x) and median(x), which take values together and
 * pass over NULL; bytes(text), the number that a size such as 16K stands for (NULL: it is none);
 * and setting(run, key), the value of a setting of a run. */
#ifndef WEIR_STUDY_QUERY_H
#define WEIR_STUDY_QUERY_H

#include <stdbool.h>
#include <stddef.h>

#include "weir/err.h"

struct weir_store;
struct weir_query;
struct sqlite3;
struct sqlite3_stmt;

struct weir_query_options {
  const char *origin;             /* what messages call the text: the name of its file */
  bool (*is_stopped)(void *self); /* asked while a statement runs; may be NULL */
  void *self;
};

/* The store stays open until the query is closed, and is not used for anything else meanwhile.
 * WEIR_EPARSE: what is wrong with the text, and where. WEIR_EINVAL: a statement would not only
 * read. */
enum weir_status weir_query_open(struct weir_store *s, const char *sql,
                                 const struct weir_query_options *o, struct weir_query **out,
                                 struct weir_err *err);
/* NULL is fine. */
void weir_query_close(struct weir_query *q);

size_t weir_query_n(const struct weir_query *q);
struct sqlite3_stmt *weir_query_stmt(const struct weir_query *q, size_t i);
/* The next row of a statement; *is_row is false at their end. WEIR_ELIMIT: it was stopped. */
enum weir_status weir_query_step(struct weir_query *q, size_t i, bool *is_row,
                                 struct weir_err *err);

/* ---- query_functions.c ---- */

/* Adds the functions to a connection. False: no memory. */
bool weir_query_functions(struct sqlite3 *db);

#endif
