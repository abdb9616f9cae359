/* What a policy has prepared for another: rows by kernel and key (weir/policy.h), in memory and in
 * files. */
#ifndef WEIR_L1_ROWS_H
#define WEIR_L1_ROWS_H

#include "weir/policy.h"

struct weir_rows {
  struct weir_row *v;
  size_t n, cap;
};

enum { WEIR_ROWS_MOST = 1 << 24 };

/* One more. Rows of equal kernel and key become one as memory is needed. */
enum weir_status weir_rows_add(struct weir_rows *r, const struct weir_row *row,
                               struct weir_err *err);
/* Sorts by kernel and key, and adds up what is equal in both. */
void weir_rows_settle(struct weir_rows *r);
void weir_rows_free(struct weir_rows *r);

/* A file of settled rows, as text; `about` is one line that says where they come from. What is not
 * whole, or not in order, is refused. */
enum weir_status weir_rows_save(const struct weir_rows *r, const char *path, const char *about,
                                struct weir_err *err);
enum weir_status weir_rows_load(struct weir_rows *r, const char *path, struct weir_err *err);

#endif
