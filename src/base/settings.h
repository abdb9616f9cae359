/* Values of all parameters in layers, each with its origin. A later layer wins; within one layer
 * setting twice is an error for files (the reader refuses duplicate keys) and the last one wins on
 * the command line. */
#ifndef WEIR_BASE_SETTINGS_H
#define WEIR_BASE_SETTINGS_H

#include "base/config.h"
#include "base/registry.h"

enum weir_layer {
  WEIR_LAYER_DEFAULT,
  WEIR_LAYER_FILE, /* machine, scheme or launch file */
  WEIR_LAYER_USER, /* the user's own file */
  WEIR_LAYER_SET,  /* --set KEY=VALUE */
  WEIR_LAYERS
};

struct weir_setting {
  const struct weir_param_group *group;
  const struct weir_param *param;
  const char *text; /* the value that holds, as it was written */
  enum weir_layer layer;
  uint32_t source;         /* which file of its layer, in the order in which they were read */
  const char *derived;     /* the parameters that the value follows from; NULL: it was set */
  struct weir_where where; /* file, line and column for the file layers; no source */
};

struct weir_settings {
  struct weir_setting *v; /* one per parameter, in the order of the groups */
  size_t n;
  uint32_t n_sources; /* files that were read */
  struct weir_arena arena;
};

/* All defaults. `groups` ends with NULL and must outlive the settings. */
enum weir_status weir_settings_init(struct weir_settings *s,
                                    const struct weir_param_group *const *groups,
                                    struct weir_err *err);
void weir_settings_free(struct weir_settings *s);
/* As `of` is now; its texts stay where they are, so `of` must outlive it. */
enum weir_status weir_settings_copy(struct weir_settings *s, const struct weir_settings *of,
                                    struct weir_err *err);

/* Set one value after checking it against its row. Texts are copied. A layer below the one that
 * holds is checked and dropped. */
enum weir_status weir_settings_set(struct weir_settings *s, enum weir_layer layer, const char *path,
                                   const char *text, const struct weir_where *where,
                                   struct weir_err *err);
/* "exec.quantum=64" from the command line. */
enum weir_status weir_settings_assign(struct weir_settings *s, const char *assignment,
                                      struct weir_err *err);
/* Every scalar below entry `top` of a file (0: the whole file), each once. */
enum weir_status weir_settings_config(struct weir_settings *s, enum weir_layer layer,
                                      struct weir_config *c, uint32_t top, struct weir_err *err);

/* Which was said later: below 0, 0 or above 0. All of the command line was said at once. */
int weir_setting_order(const struct weir_setting *a, const struct weir_setting *b);
/* Did the user set it: on the command line or in a file of settings? */
bool weir_setting_is_users(const struct weir_setting *v);
/* A value that follows from others, "l1.size and l1.sets": shown as the one that holds. */
enum weir_status weir_settings_derive(struct weir_settings *s, const char *path, const char *text,
                                      const char *from, struct weir_err *err);

/* NULL if there is no such parameter. */
const struct weir_setting *weir_settings_find(const struct weir_settings *s, const char *path);
/* WEIR_ENOENT with the nearest name. */
enum weir_status weir_settings_unknown(const struct weir_settings *s, const char *path,
                                       const struct weir_where *where, struct weir_err *err);
/* Fill a component's struct (group->cfg_bytes). Strings in it point into `s`, which must outlive
 * it. */
enum weir_status weir_settings_fill(const struct weir_settings *s,
                                    const struct weir_param_group *group, void *cfg,
                                    struct weir_err *err);
/* "default", "FILE:LINE:COL", "--set", "follows from ...". Returns `buf`. */
const char *weir_setting_origin(const struct weir_setting *v, char *buf, size_t len);

#endif
