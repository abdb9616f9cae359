/* A store as CSV, for spreadsheets, R and pandas. */
#ifndef WEIR_REPORT_EXPORT_H
#define WEIR_REPORT_EXPORT_H

#include "report/query.h"
#include "study/store.h"

struct weir_export_options {
  bool is_long;     /* a row for each statistic, not for each run */
  bool has_kernels; /* kernels instead of runs */
  bool only_ok;     /* runs that ended */
  bool no_times;    /* without what may differ when the same is run again: host, seconds, message */
  /* Names or patterns (fnmatch), with commas between them; "varying", "all", "none". NULL:
   * "varying". */
  const char *settings;
  const char *stats; /* names or patterns; NULL: all */
  const char *where; /* a condition (study/condition.h); NULL: none */
};

/* Rows in the order of what was run. Stores with equal dumps give equal bytes, if `no_times`. */
enum weir_status weir_export_csv(struct weir_store *s, const struct weir_export_options *o,
                                 const struct weir_sink *to, struct weir_err *err);

#endif
