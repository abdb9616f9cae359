/* The hooks of parts by number, from hooks.def. */
#ifndef WEIR_L1_HOOKS_H
#define WEIR_L1_HOOKS_H

#include "weir/policy.h"

enum weir_hook {
#define HOOK(in, kind, axis, name, ...) WEIR_H_##name,
#include "l1/hooks.def"
  WEIR_N_HOOKS
};

/* As the fields of weir/policy.h are called. */
const char *weir_hook_name(enum weir_hook h);
/* Has it any? */
bool weir_policy_has_hooks(const struct weir_policy_ops *o);

/* The struct of a hook, and a hook of a policy's table; a list without the policy, which comes
 * first. */
#define WEIR_HOOKS_OF_PART     struct weir_part
#define WEIR_HOOKS_OF_POLICY   struct weir_policy_ops
#define WEIR_HOOK_PART(o, h)   (o)->part.h
#define WEIR_HOOK_POLICY(o, h) (o)->h
#define WEIR_REST(p, ...)      __VA_ARGS__

#endif
