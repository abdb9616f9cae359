/* Fingerprints of what a run reads. Equal texts: equal contents. */
#ifndef WEIR_STUDY_INPUT_HASH_H
#define WEIR_STUDY_INPUT_HASH_H

#include <stdbool.h>
#include <stddef.h>

#include "weir/err.h"

enum { WEIR_HASH_TEXT = 40 }; /* "xxh128:", 32 digits, NUL */

/* What is read for its fingerprint must be there when it is used: WEIR_EINVAL for a pipe or a
 * device. */
enum weir_status weir_hash_may_read(const char *path, struct weir_err *err);
void weir_hash_bytes(const void *bytes, size_t n, char out[WEIR_HASH_TEXT]);
/* A file as it is stored: a program, a plug-in. */
enum weir_status weir_hash_file(const char *path, char out[WEIR_HASH_TEXT], struct weir_err *err);
/* A launch file with the modules and the data that it names for this input (NULL: its first).
 * `input_name` (may be NULL, else WEIR_INPUT_NAME bytes) gets the one that is chosen;
 * `is_estimated` (may be NULL): does it leave registers of a kernel to be estimated? */
enum weir_status weir_hash_launchfile(const char *path, const char *input, char out[WEIR_HASH_TEXT],
                                      char *input_name, bool *is_estimated, struct weir_err *err);
/* A .wtrace without its provenance, or an Accel-Sim list with the files that it names. */
enum weir_status weir_hash_trace(const char *path, char out[WEIR_HASH_TEXT], struct weir_err *err);

#endif
