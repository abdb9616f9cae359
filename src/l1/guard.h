/* A wall around the policies of plug-ins: a hook that crashes or answers what is no answer ends the
 * run with an error that names it. Policies that are built in are called directly. */
#ifndef WEIR_L1_GUARD_H
#define WEIR_L1_GUARD_H

#include "weir/policy.h"

struct weir_guarded {
  struct weir_policy_ops ops; /* first: what a chain has. The hooks of `own`, guarded */
  const struct weir_policy_ops *own;
  const char *file;
};

/* Fill in a guarded policy, which lives as long as it is used, and listen to the signals of a
 * crash. */
void weir_guard(struct weir_guarded *g, const struct weir_policy_ops *own, const char *file);
/* The part that is about to be asked for its size or storage: these hooks alone do not get to know
 * whose they are. */
void weir_guard_sizes(const struct weir_part *part);

#endif
