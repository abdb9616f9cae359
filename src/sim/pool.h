/* Threads that run a set of components, each once per turn, in any order and on any thread.
 *
 * Each component belongs to a thread, whose core then holds its state. A thread that has waited for
 * the others for a while takes over what they have not begun, so one that the operating system has
 * put aside does not hold up the turn. */
#ifndef WEIR_SIM_POOL_H
#define WEIR_SIM_POOL_H

#include <stdbool.h>
#include <stdint.h>

struct weir_pool_job {
  void *self;
  /* First of all in a turn, on each thread, for all components that belong to it. */
  void (*prepare)(void *self, uint32_t thread);
  /* Then each component; returns a measure of the work that it was. */
  uint64_t (*run)(void *self, uint32_t thread, uint32_t component);
};

struct weir_pool;

/* NULL: out of memory, or no thread could be started. */
struct weir_pool *weir_pool_new(uint32_t threads, uint32_t components,
                                const struct weir_pool_job *job);
void weir_pool_free(struct weir_pool *p);
/* The caller is thread 0. Returns when all threads have prepared and all components have run. */
void weir_pool_turn(struct weir_pool *p);
/* Between turns. Does a thread have much more to do than it would have, were all equal? */
bool weir_pool_is_lopsided(struct weir_pool *p);
/* Share components out anew, by their work since the last time. */
void weir_pool_weigh(struct weir_pool *p);
/* The thread that prepares a component, and first tries to run it; until weir_pool_weigh. */
uint32_t weir_pool_owner(const struct weir_pool *p, uint32_t component);

#endif
