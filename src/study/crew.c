#include "study/crew.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { WAIT_MS = 200 };

enum weir_status weir_crew_init(struct weir_crew *p, size_t most, size_t bytes,
                                struct weir_err *err) {
  *p = (struct weir_crew){.most = most, .bytes = bytes};
  p->jobs = weir_calloc(most + 1, bytes); /* one more: for a job that is taken out */
  p->polls = weir_calloc(most + 1, sizeof *p->polls);
  return p->jobs != NULL && p->polls != NULL ? WEIR_OK
                                             : weir_fail(err, WEIR_ENOMEM, "out of memory");
}

void weir_crew_free(struct weir_crew *p) {
  free(p->jobs);
  free(p->polls);
  *p = (struct weir_crew){0};
}

/* The last takes its place. */
static void *take(struct weir_crew *p, size_t i) {
  void *out = weir_crew_job(p, p->most);
  memcpy(out, weir_crew_job(p, i), p->bytes);
  p->n--;
  if (i < p->n) memcpy(weir_crew_job(p, i), weir_crew_job(p, p->n), p->bytes);
  return out;
}

void *weir_crew_take(struct weir_crew *p) {
  return p->n > 0 ? take(p, p->n - 1) : NULL;
}

enum weir_status weir_crew_wait(struct weir_crew *p,
                                enum weir_status (*ended)(void *self, void *job,
                                                          struct weir_err *err),
                                void *self, bool *any, struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  for (size_t i = 0; i < p->n; i++) {
    const struct weir_worker *w = weir_crew_job(p, i);
    p->polls[i] = (struct pollfd){.fd = w->fd, .events = POLLIN};
  }
  *any = poll(p->polls, p->n, WAIT_MS) > 0;
  /* From the last: taking one out moves the last into its place. */
  for (size_t i = p->n; *any && st == WEIR_OK && i-- > 0;)
    if (p->polls[i].revents != 0) st = ended(self, take(p, i), err);
  return st;
}
