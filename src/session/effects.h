/* What a command does with its settings: the facts that decide which of them have an effect. */
#ifndef WEIR_SESSION_EFFECTS_H
#define WEIR_SESSION_EFFECTS_H

#include "base/effect.h"
#include "session/setup.h"

struct weir_use {
  const struct weir_setup *setup; /* what is timed; NULL: nothing is */
  bool is_executed;               /* PTX, here */
  bool is_program;                /* a CUDA program is told what the machine is */
  bool has_streams;               /* of warps are kept */
  const char *tags_by;            /* what makes tags of loads first; NULL: nothing does */
  bool has_results;               /* cycles and energy are reported */
};

enum { WEIR_N_FACTS = 14 };
/* Ended by a NULL name; none holds. */
extern const struct weir_fact weir_fact_table[WEIR_N_FACTS + 1];

/* Every setting of the user's must have an effect in one of `n` uses, each with its settings. */
enum weir_status weir_uses_check(const struct weir_settings *const *s, const struct weir_use *uses,
                                 size_t n, struct weir_err *err);
/* The facts of one; they point into it and into `table`. */
struct weir_facts weir_facts_of(const struct weir_use *u, struct weir_fact table[WEIR_N_FACTS + 1]);

#endif
