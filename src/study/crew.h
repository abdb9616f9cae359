/* Several workers at a time: studies, profiles and preparations start their processes here. */
#ifndef WEIR_STUDY_CREW_H
#define WEIR_STUDY_CREW_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

#include "study/worker.h"

/* Jobs are structs of `bytes`, whose first member is their struct weir_worker. They move when
 * others end. */
struct weir_crew {
  char *jobs;
  size_t n, most, bytes; /* n: that run */
  struct pollfd *polls;
};

enum weir_status weir_crew_init(struct weir_crew *p, size_t most, size_t bytes,
                                struct weir_err *err);
/* Nothing runs any more. */
void weir_crew_free(struct weir_crew *p);

static inline bool weir_crew_is_full(const struct weir_crew *p) {
  return p->n == p->most;
}
/* One that runs; with i = n, of a crew that is not full, the place for the next, whose worker is
 * started there; then weir_crew_add. */
static inline void *weir_crew_job(const struct weir_crew *p, size_t i) {
  return p->jobs + i * p->bytes;
}
static inline void weir_crew_add(struct weir_crew *p) {
  p->n++;
}
/* One that still runs, taken out for its end; NULL: none does. It lives until the next call. */
void *weir_crew_take(struct weir_crew *p);

/* Waits until some have ended, a fifth of a second at most, and calls `ended` for each, which ends
 * its worker. *any is false if none had. */
enum weir_status weir_crew_wait(struct weir_crew *p,
                                enum weir_status (*ended)(void *self, void *job,
                                                          struct weir_err *err),
                                void *self, bool *any, struct weir_err *err);

#endif
