/* A piece of work in a process of its own: it may run beside others, run out of memory or crash,
 * and the caller lives on. */
#ifndef WEIR_STUDY_WORKER_H
#define WEIR_STUDY_WORKER_H

#include <stdint.h>
#include <sys/types.h>

#include "weir/err.h"

struct weir_worker {
  pid_t pid;
  int fd; /* readable when the answer has come or the process has ended */
  struct weir_worker_memory *shared;
  size_t bytes;        /* of it */
  uint64_t peak_bytes; /* when it has ended: the most memory that it had */
};

/* Call work(self, answer) in a new process. `answer` is `bytes` of zeroed memory that comes back.
 */
enum weir_status weir_worker_start(struct weir_worker *w,
                                   void (*work)(const void *self, void *answer), const void *self,
                                   size_t bytes, struct weir_err *err);
/* Wait for its end. An error says how the process ended, and names the hook of a plug-in if one
 * ended it; `answer` then has what had been written of it. */
enum weir_status weir_worker_end(struct weir_worker *w, void *answer, size_t bytes,
                                 struct weir_err *err);
/* End it now. */
void weir_worker_kill(struct weir_worker *w);

#endif
