/* weir help scheme NAME, weir help policy NAME */
#ifndef WEIR_CLI_HELP_PARTS_H
#define WEIR_CLI_HELP_PARTS_H

#include "weir/policy.h"

/* What a scheme is made of, with the values it sets and what it costs on a machine (NULL: the
 * default one). Prints; returns the exit code. */
int weir_help_scheme(const char *name, const char *gpu);
/* An organisation or a policy: parameters, statistics and the schemes that use it. */
int weir_help_policy(const char *name);
/* "admission", ...: the first of a policy's axes; "none": it only observes. */
const char *weir_axis_name(const struct weir_policy_ops *o);

#endif
