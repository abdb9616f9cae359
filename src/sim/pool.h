/* Threads that work together in turns, step by step.
 *
 * In a turn every thread runs the same job. Its steps need not keep time exactly: a thread may be
 * `depth` steps ahead of the slowest, so that it seldom waits, neither for a thread that has more
 * to do in one step and less in the next nor for the news from another core. With a depth of 1 all
 * begin a step together.
 *
 * Each component of what is run belongs to a thread, whose core then holds its state. */
#ifndef WEIR_SIM_POOL_H
#define WEIR_SIM_POOL_H

#include <stdbool.h>
#include <stdint.h>

struct weir_pool_job {
  void *self;
  void (*run)(void *self, uint32_t thread);
  /* Nanoseconds that threads are weighed by and lateness is judged by; NULL: the host's. A test
   * has its own, for the host takes any time for others. */
  uint64_t (*clock)(void);
};

struct weir_pool;

/* NULL: out of memory, or no thread could be started. */
struct weir_pool *weir_pool_new(uint32_t threads, uint32_t components, uint32_t depth,
                                const struct weir_pool_job *job);
void weir_pool_free(struct weir_pool *p);
/* The caller is thread 0. Returns when the job has returned on all threads. */
void weir_pool_turn(struct weir_pool *p);

/* ---- in the job; steps are numbered on from turn to turn, the first is `depth` ---- */

/* Waits until all threads have ended step - depth. False: the turn ends before this step, on all
 * threads. */
bool weir_pool_begin(struct weir_pool *p, uint32_t thread, uint64_t step);
/* `is_last`: nobody is to begin step + depth. */
void weir_pool_end(struct weir_pool *p, uint32_t thread, uint64_t step, bool is_last);
/* Have all threads ended a step, as far as this one can see without waiting? A hint some time
 * before makes that a look into its own core's cache. */
void weir_pool_hint(const struct weir_pool *p, uint32_t thread);
bool weir_pool_has_ended(struct weir_pool *p, uint32_t thread, uint64_t step);
/* A measure of what its owner did for a component. */
void weir_pool_count(struct weir_pool *p, uint32_t component, uint64_t work);

uint32_t weir_pool_owner(const struct weir_pool *p, uint32_t component);

/* ---- between turns ---- */

/* Did a thread come late because others have the machine, or does thread 0 work alone for that
 * reason? Then it is worth weighing after every turn. */
bool weir_pool_is_late(const struct weir_pool *p);
/* By the time that threads have worked since they were weighed last: should components change
 * hands? Where a thread came late, all of them go to thread 0, and the others rest; after a while
 * they have them back. */
bool weir_pool_weigh(struct weir_pool *p);
/* They do. */
void weir_pool_hand_over(struct weir_pool *p);

#endif
