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

/* What stands behind a value of a machine: the words of its file, "count: !paper 15". */
#define WEIR_EVIDENCES(X)                                                                          \
  X(WEIR_BY_NOBODY, "not said")                                                                    \
  X(WEIR_BY_PAPER, "paper")         /* the paper whose machine it is */                            \
  X(WEIR_BY_VENDOR, "vendor")       /* data sheet, white paper, manual */                          \
  X(WEIR_BY_CONFIG, "config")       /* configuration of another simulator */                       \
  X(WEIR_BY_MEASURED, "measured")   /* on the hardware, for this file */                           \
  X(WEIR_BY_PUBLISHED, "published") /* measurements of others */                                   \
  X(WEIR_BY_FITTED, "fitted")       /* chosen so that something else comes out */                  \
  X(WEIR_BY_DERIVED, "derived")     /* follows from what others say */                             \
  X(WEIR_BY_GUESS, "guess")
enum weir_evidence { WEIR_EVIDENCES(WEIR_CHOICE_ID) WEIR_N_EVIDENCES };
extern const char *const weir_evidence_names[WEIR_N_EVIDENCES];
/* WEIR_BY_NOBODY: there is no such word. */
enum weir_evidence weir_evidence_find(const char *name);
/* Adds to an error which words there are; returns WEIR_ENOENT. */
enum weir_status weir_evidences_known(const char *name, struct weir_err *err);

/* Which document each word means in a file; the texts outlive the settings that get them. */
struct weir_documents {
  const char *text[WEIR_N_EVIDENCES]; /* NULL: the file does not say */
  bool is_used[WEIR_N_EVIDENCES];
};

struct weir_setting {
  const struct weir_param_group *group;
  const struct weir_param *param;
  const char *text; /* the value that holds, as it was written */
  enum weir_layer layer;
  uint32_t source;         /* which file of its layer, in the order in which they were read */
  enum weir_evidence kind; /* as its file says; see weir_setting_evidence */
  const char *document;    /* what its file says of that kind; NULL: nothing */
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

/* The same for values with tags, which say where they come from. */
enum weir_status weir_settings_documented(struct weir_settings *s, enum weir_layer layer,
                                          struct weir_config *c, uint32_t top,
                                          struct weir_documents *docs, struct weir_err *err);

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
/* The kind of source of the value that holds; of a default, the word that its row begins with. */
enum weir_evidence weir_setting_evidence(const struct weir_setting *v);
/* It stands at its default, by which a mechanism is not there. */
bool weir_setting_is_off(const struct weir_setting *v);

#endif
