/* How sure a mean of few values is. */
#ifndef WEIR_REPORT_INTERVAL_H
#define WEIR_REPORT_INTERVAL_H

#include <stdbool.h>
#include <stddef.h>

/* The 0.975 quantile of Student's t: 95 % lie between it and its negative. */
double weir_student_t(size_t degrees);

struct weir_interval {
  double mean, low, high; /* low and high NaN: fewer than two values */
};

/* Arithmetic mean and 95 % interval of it. */
struct weir_interval weir_interval_of(const double *values, size_t n);
/* Of ratios, by their logarithms: geometric mean and 95 % interval of it. */
struct weir_interval weir_interval_of_logs(const double *logs, size_t n);

/* Does it leave open whether there is a difference, that is: contain 1? */
static inline bool weir_interval_is_open(const struct weir_interval *i) {
  return i->low <= 1 && i->high >= 1;
}

#endif
