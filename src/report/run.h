/* What kernels did, launch by launch, and how it is shown: the tables and the JSON of weir run. */
#ifndef WEIR_REPORT_RUN_H
#define WEIR_REPORT_RUN_H

#include <jansson.h>

#include "launch/workload.h"
#include "report/provenance.h"
#include "report/spool.h"
#include "report/timing.h"

struct weir_kernel_row { /* launches of one kernel of one run, added up */
  char *workload, *name;
  uint64_t launches, stream_bytes;
  struct weir_func_stats stats;
  uint32_t grid[3], block[3];
  bool is_interleaved, reads_clock;
};

struct weir_launch_row {
  char *workload, *kernel;
  uint64_t number; /* from 1, in its run */
  uint32_t grid[3], block[3];
  uint64_t warp_insns;
  /* All 0 if it was not timed. A whole struct weir_sim_result would be too much for thousands. */
  uint64_t cycles, l1_loads, l1_hits, bypassed, l2_sectors, l2_hits, dram;
};

struct weir_run_report {
  struct {
    struct weir_kernel_row *v;
    size_t n, cap;
  } rows;
  struct {
    struct weir_launch_row *v;
    size_t n, cap;
  } per_launch; /* if `keeps_launches` */
  bool keeps_launches;
  size_t first_row; /* of the run that goes on */
  const char *workload;
  struct weir_func_stats total, all;   /* of the run; of all */
  uint64_t launches, n_runs, n_of_run; /* n_of_run: launches of the run */
  json_t *json_runs;                   /* NULL unless JSON is wanted */
  json_t *json_launch;                 /* of the last launch, which may be added to */
  struct weir_spool spool;             /* of those before it */
  struct weir_spools {
    struct weir_spool *v;
    size_t n, cap;
  } spools; /* of each run: json_runs[i] has spools[i] as its launches */
  /* Given: what times the launches, and the workloads that were classified; NULL: nothing does, or
   * none was. */
  const struct weir_timing *timing;
  const struct weir_timed_profiles *profiles;
  bool per_sm;                              /* in JSON, too */
  const struct weir_provenance *provenance; /* in JSON; NULL: none */
  bool is_failed;                           /* for want of memory, or as `error` says */
  struct weir_err error;
};

/* With `json`, for JSON as well. */
enum weir_status weir_run_report_init(struct weir_run_report *r, bool json, struct weir_err *err);
void weir_run_report_free(struct weir_run_report *r);

/* A run begins; its name outlives it. */
void weir_run_report_begin(struct weir_run_report *r, const char *workload);
/* A launch has ended, after it was timed. Returns its JSON, which may be added to; NULL: none is
 * wanted. */
json_t *weir_run_report_launch(struct weir_run_report *r, const struct weir_launch_report *l);
/* What went wrong with launches so far. */
enum weir_status weir_run_report_status(const struct weir_run_report *r, struct weir_err *err);
/* The run has ended. `o` is what is said about it besides its launches, and is taken; NULL without
 * JSON. */
enum weir_status weir_run_report_end(struct weir_run_report *r, json_t *o, struct weir_err *err);

/* What `from` has collected comes after it; nothing is left there. */
enum weir_status weir_run_report_join(struct weir_run_report *r, struct weir_run_report *from,
                                      struct weir_err *err);

/* The table of kernels, with `streams` how large they were, and the table of what was timed; then
 * what their marks mean. Then the table of launches, if they were kept. */
enum weir_status weir_run_report_text(const struct weir_run_report *r, bool streams,
                                      const struct weir_timing_views *views, struct weir_text *out,
                                      struct weir_err *err);
/* All runs, in pieces. */
enum weir_status weir_run_report_json(const struct weir_run_report *r,
                                      enum weir_status (*put)(void *self, const char *text,
                                                              size_t n, struct weir_err *err),
                                      void *self, struct weir_err *err);

#endif
