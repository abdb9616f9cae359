/* Statistics shown: as text tables, JSON and Markdown; and their conservation rules evaluated. */
#ifndef WEIR_BASE_STAT_IO_H
#define WEIR_BASE_STAT_IO_H

#include <jansson.h>

#include "base/registry.h"
#include "base/table.h"
#include "weir/err.h"

const struct weir_stat *weir_stat_find(const struct weir_stat *table, const char *name);
/* Counter or maximum. */
uint64_t weir_stat_count_of(const struct weir_stat *row, const void *base);
/* Any kind, as a double; a ratio with denominator 0 is NaN. */
double weir_stat_value(const struct weir_stat *row, const void *base);
/* As a person reads it: "1,234", "0.873", or "-" for a ratio of nothing. Returns `buf`. */
const char *weir_stat_show(const struct weir_stat *row, const void *base, char *buf, size_t len);

/* Rows "name  value  unit  meaning"; `prefix` may be NULL. Levels are no results: here and below
 * they are left out. */
enum weir_status weir_stat_text(const struct weir_stat *table, const char *prefix, const void *base,
                                struct weir_text *out, struct weir_err *err);
/* A new object {name: value, ...}: integers as integers (beyond 2^63-1 as reals), ratios as reals,
 * a ratio of nothing as null. NULL: no memory. */
json_t *weir_stat_json(const struct weir_stat *table, const void *base);

/* Evaluate rules such as "loads == hits + misses" (one of == <= >=, sums of names or whole numbers
 * on both sides). The first that does not hold is WEIR_EBUG with both sums. `checks` ends with a
 * NULL rule. */
enum weir_status weir_stat_verify(const struct weir_stat *table, const struct weir_check *checks,
                                  const void *base, struct weir_err *err);

#endif
