/* Every parameter and statistic table there is: of components, and of the parts of an L1. */
#ifndef WEIR_SESSION_GROUPS_H
#define WEIR_SESSION_GROUPS_H

#include "base/settings.h"
#include "weir/policy.h"

/* All declared tables, each list ended by NULL. They stay where they are; a plug-in and
 * weir_groups_add make them longer. */
const struct weir_param_group *const *weir_param_groups(void);
const struct weir_stat_group *const *weir_stat_groups(void);
/* The statistic "prefix.name", and its group (may be NULL); NULL: there is none. */
const struct weir_stat *weir_stat_named(const char *name, const struct weir_stat_group **group);

/* One more, of a component above this module; before settings are made. It stays. */
void weir_groups_add(const struct weir_param_group *g);
/* Load a plug-in; `first` as weir_plugin_load. Before settings are made, and while no other thread
 * makes some. */
enum weir_status weir_groups_plugin(const char *path, const struct weir_policy_ops **first,
                                    struct weir_err *err);

/* The user's own file of settings. */
enum weir_status weir_settings_file(struct weir_settings *s, const char *path,
                                    struct weir_err *err);

#endif
