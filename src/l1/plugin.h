/* Policies from shared objects. */
#ifndef WEIR_L1_PLUGIN_H
#define WEIR_L1_PLUGIN_H

#include "weir/policy.h"

/* Load a shared object and add every `const struct weir_policy_ops weir_policy_NAME` that it
 * exports to the policies, guarded. It stays until the process ends. `first` (may be NULL) becomes
 * the first of them; what is wrong with the file or a policy is said with the remedy. */
enum weir_status weir_plugin_load(const char *path, const struct weir_policy_ops **first,
                                  struct weir_err *err);

#endif
