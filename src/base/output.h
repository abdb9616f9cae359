/* Files that are written.
 *
 * An output is opened before the work that fills it, so that what is wrong with its name is said
 * then. It is written to a temporary beside the file that it becomes, and takes its place when it
 * is complete: the file is the old one or the new one, never a part. Symbolic links are followed,
 * and a file that is replaced passes on its mode, and its owner where that is allowed. Devices,
 * pipes and open descriptors (/dev/stdout, /dev/fd/N) are written in place.
 *
 * Of one process no two outputs that are open are the same file, under whatever names, and none is
 * a file that it reads meanwhile. */
#ifndef WEIR_BASE_OUTPUT_H
#define WEIR_BASE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "weir/err.h"

struct weir_output;

enum weir_status weir_output_open(const char *path, struct weir_output **out, struct weir_err *err);
enum weir_status weir_output_write(struct weir_output *o, const void *bytes, size_t n,
                                   struct weir_err *err);
/* Completes and frees it, whatever is returned; after a failure the file is as it was. */
enum weir_status weir_output_commit(struct weir_output *o, struct weir_err *err);
/* The file stays as it was. NULL is fine. */
void weir_output_discard(struct weir_output *o);

/* It is a file that takes the place of another, not a device, pipe or descriptor. */
bool weir_output_is_file(const struct weir_output *o);
/* A file that this process has read. */
bool weir_output_was_read(const struct weir_output *o);
/* The descriptor of this process that a name stands for (/dev/stdout: 1), or -1. */
int weir_output_descriptor(const char *path);

/* For what opens a file to read it: WEIR_EINVAL if that is an open output. */
enum weir_status weir_input_opened(int fd, const char *path, const struct weir_where *where,
                                   struct weir_err *err);
/* The same for a file that will be read later. */
struct stat;
enum weir_status weir_input_found(const struct stat *info, const char *path,
                                  const struct weir_where *where, struct weir_err *err);

#endif
