/* What a study found, scheme against scheme: as text, CSV and JSON. */
#ifndef WEIR_REPORT_COMPARE_H
#define WEIR_REPORT_COMPARE_H

#include <jansson.h>

#include "base/text.h"
#include "report/interval.h"
#include "study/matrix.h"

/* Means over the workloads that ended with the scheme and with the baseline. NaN: there is none. */
struct weir_compare_mean {
  size_t n;                                                     /* workloads */
  struct weir_interval speedup;                                 /* geometric mean */
  double hit_rate_l1, hit_rate_stream, bypass_rate, stall_frac; /* arithmetic, where defined */
  double requests, flits, dram; /* geometric, relative to the baseline: L1 to L2 and DRAM */
  double energy;                /* of the L1s; likewise */
  uint64_t cycles;              /* sum */
  bool has_storage;             /* it is declared, and so is the baseline's */
  int64_t storage_bits;         /* of the L1's parts on one SM, above the baseline's */
};
struct weir_compare_mean weir_compare_mean(const struct weir_study *s, size_t gpu, size_t scheme,
                                           size_t baseline);
/* Cycles of the baseline by those of a cell: of each repeat with the baseline's of the same seed.
 * NaN: one of them has not ended, or there is one run only and thus no interval. */
struct weir_interval weir_compare_speedup(const struct weir_study *s, size_t workload, size_t gpu,
                                          size_t scheme, size_t baseline);
/* Of one repeat. */
double weir_compare_repeat(const struct weir_study *s, size_t workload, size_t gpu, size_t scheme,
                           size_t repeat, size_t baseline);
/* The same of one of the run's kernels, which is the baseline's of the same number. */
struct weir_interval weir_compare_kernel(const struct weir_study *s, size_t workload, size_t gpu,
                                         size_t scheme, size_t kernel, size_t baseline);
double weir_compare_kernel_repeat(const struct weir_study *s, size_t workload, size_t gpu,
                                  size_t scheme, size_t kernel, size_t repeat, size_t baseline);
/* The scheme that bounds another one's hits (SIZE_MAX: any scheme's), if it is compared; else
 * SIZE_MAX. */
size_t weir_compare_bound(const struct weir_study *s, size_t gpu, size_t scheme);
/* How much of what its bound gains a scheme gains, in the mean. NaN: there is no bound, or it gains
 * nothing to speak of. */
double weir_compare_share(const struct weir_study *s, size_t gpu, size_t scheme, size_t baseline);
/* Why a run failed: its own reason, its setup's or its workload's. NULL: it did not. */
const char *weir_compare_reason(const struct weir_study *s, size_t workload, size_t gpu,
                                size_t scheme, size_t repeat);

/* For each machine: a table of speed-ups, bars of their means, a table of what lies behind them,
 * with `per_kernel` one of the kernels, and the reasons of failures. */
enum weir_status weir_compare_text(const struct weir_study *s, size_t baseline, bool per_kernel,
                                   struct weir_text *out, struct weir_err *err);
/* A row for each run, in the order machine, workload, scheme, repeat; columns do not depend on the
 * study, but for a few more at the end where there are several repeats. With `per_kernel` a row for
 * each kernel follows that of its run, and two columns say which. */
enum weir_status weir_compare_csv(const struct weir_study *s, size_t baseline, bool per_kernel,
                                  struct weir_text *out, struct weir_err *err);
/* Everything; NULL: no memory. */
json_t *weir_compare_json(const struct weir_study *s, size_t baseline, bool per_kernel);

#endif
