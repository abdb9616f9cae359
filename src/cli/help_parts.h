/* weir help gpu NAME, weir help scheme NAME, weir help policy NAME */
#ifndef WEIR_CLI_HELP_PARTS_H
#define WEIR_CLI_HELP_PARTS_H

#include "base/text.h"
#include "weir/policy.h"

/* Every number of a machine with its source. Prints; returns the exit code. */
int weir_help_gpu(const char *name);
/* How many of its numbers have which kind of source: "20 paper, 3 guess". */
enum weir_status weir_gpu_sources(const char *name, struct weir_text *out, struct weir_err *err);
/* What a scheme is made of, with the values it sets and what it costs on a machine (NULL: the
 * default one). Prints; returns the exit code. */
int weir_help_scheme(const char *name, const char *gpu);
/* An organisation or a policy: parameters, statistics and the schemes that use it. */
int weir_help_policy(const char *name);
/* "admission", ...: the first of a policy's axes; "none": it only observes. */
const char *weir_axis_name(const struct weir_policy_ops *o);

#endif
