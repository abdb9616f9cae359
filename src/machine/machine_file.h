/* Machine files: the parameters of a machine below `machine:`, perhaps those of another one first.
 *
 *   weir: 1
 *   extends: v100
 *   sources: {guess: ours}
 *   machine: {l1: {size: !guess 64K}} */
#ifndef WEIR_MACHINE_MACHINE_FILE_H
#define WEIR_MACHINE_MACHINE_FILE_H

#include "base/settings.h"

enum { WEIR_MAX_EXTENDS = 16 }; /* files that one may be built upon, itself included */

/* Where the machine of that name is described. */
typedef enum weir_status weir_find_machine(void *self, struct weir_arena *a, const char *name,
                                           const char **path, struct weir_err *err);

/* Put the values of a file, and before them those of what it extends, into the file layer.
 * `extends: NAME` is one that `find` knows; a name ending in .yaml is seen from the file's folder.
 */
enum weir_status weir_machine_load(struct weir_settings *s, const char *path,
                                   weir_find_machine *find, void *self, struct weir_err *err);
/* The paths of the file and of what it extends, up to the first that `find` knows. They are put
 * into the arena. */
enum weir_status weir_machine_files(const char *path, weir_find_machine *find, void *self,
                                    struct weir_arena *a, const char *names[WEIR_MAX_EXTENDS],
                                    uint32_t *n, struct weir_err *err);

#endif
