/* Whole files, in and out. */
#ifndef WEIR_BASE_FILE_H
#define WEIR_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "weir/err.h"

/* Read a file into memory from malloc(): *len bytes and a terminating NUL. A name ending in ".zst"
 * is decompressed. More than `limit_bytes` (after decompression; 0 = no limit) is WEIR_ELIMIT.
 * `where` (may be NULL) is the place that named the file. */
enum weir_status weir_file_read(const char *path, size_t limit_bytes,
                                const struct weir_where *where, char **data, size_t *len,
                                struct weir_err *err);
/* The same, but of a file that is longer than `most_bytes` only that many. */
enum weir_status weir_file_read_start(const char *path, size_t most_bytes, char **data, size_t *len,
                                      struct weir_err *err);
/* From now on `path` reads as this text, whatever the file there holds: to repeat a run whose files
 * may be gone. Both are copied. False: no memory. Before threads are started. */
bool weir_file_stand_in(const char *path, const char *text);
void weir_file_stand_ins_free(void);
/* Write a whole file, as an output (base/output.h). */
enum weir_status weir_file_write(const char *path, const void *data, size_t len,
                                 struct weir_err *err);
/* `name` as seen from the folder of `beside` ("a/b.yaml" and "c.ptx" give "a/c.ptx"); absolute
 * names stay. NULL: no memory. */
char *weir_file_beside(struct weir_arena *a, const char *beside, const char *name);

#endif
