/* The inside of a keeper. */
#ifndef WEIR_STUDY_KEEPER_INSIDE_H
#define WEIR_STUDY_KEEPER_INSIDE_H

#include "base/arena.h"
#include "session/stat_rows.h"
#include "study/identity.h"
#include "study/keeper.h"

struct weir_keeper_cost { /* the mean of all runs of one kind */
  const char *workload, *input, *gpu, *scheme;
  double seconds;
};

struct weir_keeper {
  const struct weir_study *study;
  struct weir_keeper_options options;
  struct weir_arena arena;
  struct weir_workload_identity *workloads; /* "": it cannot be read */
  const char *(*setups)[2];    /* identities of [gpu][scheme], of a trace or executed */
  struct weir_stat_rows *rows; /* [gpu][scheme]; empty until needed */
  struct {
    struct weir_keeper_cost *v;
    size_t n, cap;
  } known;
  double *costs;
  struct weir_text identity; /* of the run in question */
  char host[256];
};

/* ---- keeper_results.c ---- */

/* The statistics that a run of this setup has. */
enum weir_status weir_keeper_rows(struct weir_keeper *k, size_t gpu, size_t scheme,
                                  const struct weir_stat_rows **out, struct weir_err *err);
/* Its statistics, and those of its kernels, from the arena. */
enum weir_status weir_keeper_stats(struct weir_keeper *k, size_t run, struct weir_arena *a,
                                   struct weir_store_run *out, struct weir_err *err);
/* Fills in the run whose identity is in `k`. */
enum weir_status weir_keeper_load(struct weir_keeper *k, size_t run, struct weir_err *err);

#endif
