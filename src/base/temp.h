/* Files and folders that go when their owner does.
 *
 * Each has a lock (flock) for as long as it is in use, which the system takes back however its
 * owner ends: what is found without one was left behind, and is removed by whoever next makes a
 * temporary in the same folder. Names carry a hash of the host's name, and those of other hosts
 * are left alone: over a network a lock may not be seen. */
#ifndef WEIR_BASE_TEMP_H
#define WEIR_BASE_TEMP_H

#include <sys/types.h>

#include "weir/err.h"

struct weir_temp_slot;
struct weir_temp {
  const char *path; /* absolute; NULL: there is none */
  int fd;           /* of a file: open for writing; it holds the lock */
  struct weir_temp_slot *slot;
};

/* $TMPDIR, else /tmp. */
const char *weir_temp_folder(void);
/* A file in `folder` that has no name and goes with its descriptor. -1: errno says why not. */
int weir_temp_unnamed(const char *folder);
/* A folder in weir_temp_folder(). */
enum weir_status weir_temp_make(struct weir_temp *t, struct weir_err *err);
/* A file in `folder`. On failure errno is set, and t->path is NULL. */
enum weir_status weir_temp_file(struct weir_temp *t, const char *folder, mode_t mode,
                                struct weir_err *err);
/* The file has got another name, and stays. */
void weir_temp_keep(struct weir_temp *t);
/* A folder goes with all files in it. */
void weir_temp_remove(struct weir_temp *t);

/* Removes all that this process has made, and that are still there. It may be called from a signal
 * handler, and by exit(). */
void weir_temps_remove(void);

#endif
