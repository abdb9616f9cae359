/* One writer of a store: a lock on a file beside it, which holds the writer's host and number.
 *
 * It is a record lock (fcntl): children do not inherit it, so that it goes when its process goes,
 * however that ends and whatever it has started; and a network file system passes it on to other
 * hosts. SQLite's own locks last for a transaction only, or shut out readers, too. */
#ifndef WEIR_STUDY_STORE_LOCK_H
#define WEIR_STUDY_STORE_LOCK_H

#include <stdint.h>
#include <sys/types.h>

#include "weir/err.h"

struct weir_store_lock {
  char *path; /* NULL: it is not held */
  int fd;
  pid_t pid; /* children have a copy of this, but not the lock */
  dev_t dev;
  ino_t ino;
  struct weir_store_lock *next; /* of this process; where it lies must not change */
};

/* Of the store `file`, a path without links; `name` is what it is called in messages. */
enum weir_status weir_store_lock(struct weir_store_lock *l, const char *file, const char *name,
                                 uint32_t wait_ms, struct weir_err *err);
void weir_store_unlock(struct weir_store_lock *l);

#endif
