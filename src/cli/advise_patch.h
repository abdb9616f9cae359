/* Advice as a patch of CUDA sources. */
#ifndef WEIR_CLI_ADVISE_PATCH_H
#define WEIR_CLI_ADVISE_PATCH_H

#include "base/text.h"
#include "study/advise.h"

/* A unified diff, for patch -p1. `beside` (NULL: none) is a file whose folder may have sources.
 * What is left out, such as sources that are not there, is said on stderr. */
enum weir_status weir_advise_patch(const struct weir_advised *a, const char *beside, bool is_quiet,
                                   struct weir_text *out, struct weir_err *err);

#endif
