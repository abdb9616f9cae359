/* Keeps the runs of a study in a store when they end, and finds those that it has already. */
#ifndef WEIR_STUDY_KEEPER_H
#define WEIR_STUDY_KEEPER_H

#include "study/matrix.h"
#include "study/plan.h"
#include "study/store.h"

struct weir_keeper_options {
  struct weir_store *store; /* NULL: nothing is found or kept */
  bool retry;               /* runs that failed before are run again */
  bool only_failed;         /* and no others are */
  bool only_kept;           /* nothing is run: what is not there is left */
  /* Runs of other shards are left: each belongs to one of `n_shards` (0: there is one), by its
   * identity, so that shards need not know of one another. `shard` begins with 1. */
  uint32_t shard, n_shards;
  /* Or by a plan, which then has every run; without a shard, all that it has are run. NULL: none.
   */
  const struct weir_plan *plan;
  bool wants_results;     /* of runs that are found, as if they had been run now */
  const char *provenance; /* JSON that is kept with each run; may be NULL */
};

/* Every parameter that counts, for a run of the store; its texts live in the arena. */
enum weir_status weir_keeper_settings(const struct weir_study_setup *s, bool is_executed,
                                      struct weir_arena *a, struct weir_store_run *out,
                                      struct weir_err *err);

struct weir_keeper;
/* All that is given is as it will be when the study runs, what is prepared included; it outlives
 * the keeper. Fingerprints of the workloads are made. */
enum weir_status weir_keeper_new(const struct weir_study *s, const struct weir_keeper_options *o,
                                 struct weir_keeper **out, struct weir_err *err);
void weir_keeper_free(struct weir_keeper *k);
/* By which plans know a run: all of its identity that is known before anything is prepared. */
enum weir_status weir_keeper_point(struct weir_keeper *k, size_t run, char out[WEIR_HASH_TEXT],
                                   struct weir_err *err);
/* What a store, which need not be the keeper's, has of a run. */
/* Is it left to be run here? As the run matrix will find it. */
enum weir_status weir_keeper_is_todo(struct weir_keeper *k, size_t run, bool *is_todo,
                                     struct weir_err *err);
enum weir_status weir_keeper_has(struct weir_keeper *k, struct weir_store *store, size_t run,
                                 enum weir_stored *status, struct weir_err *err);
/* What runs took that this store has counts, too. */
enum weir_status weir_keeper_learn(struct weir_keeper *k, struct weir_store *store,
                                   struct weir_err *err);
/* weir_study.costs from what runs took that are stored; lives as long as the keeper. */
enum weir_status weir_keeper_costs(struct weir_keeper *k, const double **out, struct weir_err *err);
/* Sets the hooks `find`, `keep` and `keeper`. */
void weir_keeper_hook(struct weir_keeper *k, struct weir_study_hooks *hooks);

#endif
