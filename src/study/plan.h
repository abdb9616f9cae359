/* Which share of a sweep each run belongs to, written down before any of them runs: shares that
 * should take equally long. Of shards without a plan, identities decide (study/keeper.h). */
#ifndef WEIR_STUDY_PLAN_H
#define WEIR_STUDY_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "study/input_hash.h"

struct weir_plan_row {
  char point[WEIR_HASH_TEXT]; /* weir_keeper_point of a run */
  uint32_t shard;             /* from 1 on; 0: it is not to be run */
};

struct weir_plan {
  struct weir_plan_row *v; /* by point */
  size_t n, cap;
  uint32_t n_shards;
};

/* Deals runs out: shards[i] gets the share of the run that may take costs[i] seconds (NaN: nobody
 * knows, as long as the mean of the others). The longest is dealt out first, each to the share that
 * has least; equal ones go round, so that each share has as many of every workload. */
enum weir_status weir_plan_deal(const double *costs, size_t n, uint32_t n_shards, uint32_t *shards,
                                struct weir_err *err);

/* Rows in any order. */
enum weir_status weir_plan_write(struct weir_plan *p, const char *path, struct weir_err *err);
/* Freed by weir_plan_free in any case. */
enum weir_status weir_plan_read(struct weir_plan *p, const char *path, struct weir_err *err);
void weir_plan_free(struct weir_plan *p);
/* False: it is not in the plan. */
bool weir_plan_find(const struct weir_plan *p, const char *point, uint32_t *shard);

#endif
