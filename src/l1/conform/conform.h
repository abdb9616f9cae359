/* What every organisation and every policy must keep, tried on small L1s, alone and in every
 * ordered pair that can stand together: the same input gives the same output, a copy taken half-way
 * goes on as the original, deciding hooks change nothing, refused requests leave no trace, every
 * request is answered once, every parameter works at its ends, with rows that were prepared and
 * without. Knows no part by name. */
#ifndef WEIR_L1_CONFORM_CONFORM_H
#define WEIR_L1_CONFORM_CONFORM_H

#include "l1/design.h"

enum weir_conform {
  WEIR_CONFORM_DECLARATIONS, /* texts, parameters and statistics */
  WEIR_CONFORM_ALONE,        /* each policy on each organisation */
  WEIR_CONFORM_PAIRS,        /* with each other policy, before and after it */
  WEIR_CONFORM_PARAMETERS,   /* each at its ends */
  WEIR_N_CONFORM
};

/* How far it came, also for whoever looks on: a policy may end the process. */
struct weir_conform_progress {
  unsigned n;       /* designs tried */
  char trying[160]; /* the last one */
};

/* Try all designs that `only` (NULL: any policy or none) is part of. The error says which design
 * broke which rule. */
enum weir_status weir_conform(enum weir_conform what, const struct weir_policy_ops *only,
                              struct weir_conform_progress *progress, struct weir_err *err);

#endif
