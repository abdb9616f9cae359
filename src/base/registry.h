/* Which parameter and statistic tables exist. A component defines one constant group beside its
 * table; the command line collects them. */
#ifndef WEIR_BASE_REGISTRY_H
#define WEIR_BASE_REGISTRY_H

#include <stddef.h>

#include "weir/param.h"
#include "weir/stat.h"

struct weir_param_group {
  const char *prefix, *about; /* "exec": its parameters are exec.NAME; about: one line */
  const struct weir_param *table;
  size_t cfg_bytes; /* size of the struct that the table describes */
  const char *when; /* in which set-ups its parameters have an effect, see effect.h; NULL: in all */
};

struct weir_stat_group {
  const char *prefix, *about;
  const struct weir_stat *table;
  const struct weir_check *checks; /* ended by a NULL rule; may be NULL */
};

/* Rows of a table. */
size_t weir_param_count(const struct weir_param *table);
size_t weir_stat_count(const struct weir_stat *table);

/* What a table must satisfy: texts present, names unique and well formed, units known, default
 * inside range and choices. */
enum weir_status weir_param_group_check(const struct weir_param_group *g, struct weir_err *err);
enum weir_status weir_stat_group_check(const struct weir_stat_group *g, struct weir_err *err);

#endif
