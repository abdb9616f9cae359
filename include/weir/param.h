/* Parameters as tables: one row per setting; parsing, range checks, help and reference pages come
 * from the rows. */
#ifndef WEIR_PARAM_H
#define WEIR_PARAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/err.h"

enum weir_type { WEIR_BOOL, WEIR_INT, WEIR_REAL, WEIR_STR };

struct weir_param {
  const char *name;    /* last part of the dotted path */
  const char *def;     /* default, as a user would write it: "16K" */
  const char *unit;    /* "cycle", "byte", "bit", ... or NULL for a plain number */
  const char *choices; /* "a|b|c" for WEIR_STR, or NULL */
  const char *help;    /* one line */
  const char *source;  /* where the default comes from: paper, manual, measurement or "guess"; NULL
                          if it is a plain option */
  const char *when;    /* in which set-ups it has an effect: "mode=sampled and l1.banks>1", names of
                          the same table without their prefix; NULL: in all that have the table's
                          component */
  double min, max;     /* inclusive; both 0 = unlimited */
  size_t offset;
  enum weir_type type;
};

/* The type is taken from the field, so that table and struct cannot disagree. */
#define WEIR_PARAM(S, f, default_text, ...)                                                                                   \
  {                                                                                                                           \
    .name = #f, .def = default_text, .offset = offsetof(struct S, f),                                                       \
    .type = _Generic(((struct S *)0)->f, bool : WEIR_BOOL, int64_t : WEIR_INT, double : WEIR_REAL,                          \
                     const char * : WEIR_STR),                                                                              \
    __VA_ARGS__ \
  }
#define WEIR_PARAM_END                                                                             \
  { .name = NULL }

/* Set every field of `cfg` to its default. */
void weir_param_defaults(const struct weir_param *table, void *cfg);
/* Parse `text` (suffixes K, M, G = 1024 powers for integers) and store it; checks range and
 * choices. Strings are copied to `pool`-less static storage of the text itself: the caller keeps
 * `text` alive as long as `cfg`. `where` may be NULL. */
enum weir_status weir_param_set(const struct weir_param *table, void *cfg, const char *name,
                                const char *text, const struct weir_where *where,
                                struct weir_err *err);
const struct weir_param *weir_param_find(const struct weir_param *table, const char *name);
/* Current value as a user would write it. Returns `buf`. */
const char *weir_param_show(const struct weir_param *p, const void *cfg, char *buf, size_t len);

#endif
