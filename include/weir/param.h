/* Parameters as tables: one row per setting; parsing, range checks, help and reference pages come
 * from the rows. */
#ifndef WEIR_PARAM_H
#define WEIR_PARAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/err.h"

enum weir_type { WEIR_BOOL, WEIR_INT, WEIR_REAL, WEIR_STR, WEIR_ENUM };

struct weir_param {
  const char *name;    /* last part of the dotted path */
  const char *def;     /* default, as a user would write it: "16K" */
  const char *unit;    /* "cycle", "byte", "bit", ... or NULL for a plain number */
  const char *choices; /* "a|b|c" for WEIR_ENUM, and for WEIR_STR where not any text will do */
  const char *help;    /* one line */
  const char *source; /* where the default comes from: paper, manual, measurement or "guess"; "off":
                         it means that there is no such thing; NULL if it is a plain option */
  const char *when;   /* in which set-ups it has an effect: "mode=sampled and l1.banks>1", names of
                         the same table without their prefix; NULL: in all that have the table's
                         component */
  double min, max;    /* inclusive; both 0 = unlimited */
  size_t offset;
  enum weir_type type;
};

/* The type is taken from the field, so that table and struct cannot disagree. */
#define WEIR_PARAM(S, f, default_text, ...)                                                        \
  {                                                                                                \
    .name = #f, .def = default_text, .offset = offsetof(struct S, f),                            \
    .type = _Generic(((struct S *)0)->f, bool : WEIR_BOOL, int64_t : WEIR_INT,                   \
                     double : WEIR_REAL, const char * : WEIR_STR, int : WEIR_ENUM,               \
                     unsigned : WEIR_ENUM),                                                      \
    __VA_ARGS__ \
  }
#define WEIR_PARAM_END                                                                             \
  { .name = NULL }

/* The choices of an enum parameter are named once, in a list beside its struct:
 *
 *   #define COLOURS(X) X(COLOUR_RED, "red") X(COLOUR_DARK_BLUE, "dark-blue")
 *   enum colour { COLOURS(WEIR_CHOICE_ID) };
 *   struct lamp_cfg { enum colour colour; };
 *   ... WEIR_PARAM(lamp_cfg, colour, "red", .choices = WEIR_CHOICES(COLOURS), .help = "..."), ...
 *
 * The field holds the place of the text in the list: the identifiers have no values of their own.
 */
#define WEIR_CHOICE_ID(id, text)   id,
#define WEIR_CHOICE_NAME(id, text) text, /* for an array of names, by the enum */
#define WEIR_CHOICE_TEXT(id, text) "|" text
#define WEIR_CHOICES(list)         (&("" list(WEIR_CHOICE_TEXT))[1])

#ifdef __cplusplus
extern "C" {
#endif

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

#ifdef __cplusplus
}
#endif

#endif
