/* Whether a parameter has an effect in a set-up. The condition stands in its row (weir_param.when)
 * and in its group's; what it speaks of are other parameters, and facts about the set-up that are
 * given here. Data have no say: a set-up either can feel a parameter or cannot.
 *
 *   when   = either { "; or " either }     what follows "; or" needs no condition of the group
 *   either = all { " or " all }
 *   all    = term { " and " term }
 *   term   = FACT | "part=NAME" | KEY op VALUE { "|" VALUE }, and perhaps "(what governs instead)"
 *   op     = "=" | "!=" | ">" | "<"
 *
 * KEY is NAME (of the same group) or PREFIX.NAME; VALUE may be a PREFIX.NAME too. */
#ifndef WEIR_BASE_EFFECT_H
#define WEIR_BASE_EFFECT_H

#include "base/settings.h"
#include "base/text.h"

/* What a set-up is, besides the values of parameters. */
struct weir_fact {
  const char *name;    /* "timed" */
  const char *meaning; /* "kernels are timed", for reference pages */
  const char *instead; /* of one that does not hold, what is so: "nothing is timed" */
  const char *remedy;  /* what would make it hold; may be NULL */
  bool holds;
  const char *who; /* that is so by; may be NULL */
};

struct weir_facts {
  const struct weir_fact *v; /* ended by a NULL name */
  bool (*has_part)(const void *self, const char *name);
  const void *self;
};

/* If not, `why` (may be NULL) says what governs instead, and in further lines what would help. */
bool weir_has_effect(const struct weir_settings *s, const struct weir_setting *v,
                     const struct weir_facts *f, struct weir_text *why);
/* The first setting of the user's that has no effect in any of `n` set-ups is an error. */
enum weir_status weir_effects_check(const struct weir_settings *const *s,
                                    const struct weir_facts *const *f, size_t n,
                                    struct weir_err *err);
/* The condition of a row, for people; empty: none but its group's. NULL row: that of the group. */
void weir_effect_text(const struct weir_param_group *g, const struct weir_param *p,
                      const struct weir_fact *facts, struct weir_text *out);
/* Do all conditions name parameters, facts and values that there are? */
enum weir_status weir_effects_sound(const struct weir_settings *s, const struct weir_fact *facts,
                                    struct weir_err *err);

#endif
