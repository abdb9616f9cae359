/* The L1 data cache that an SM of the engine talks to. */
#ifndef WEIR_L1_L1_H
#define WEIR_L1_L1_H

#include "l1/design.h"

/* Its `design` is a struct weir_design. */
extern const struct weir_l1_ops weir_l1_pipeline;

/* Another L1 in the same state, for another SM (`host`) of the same number. NULL: out of memory. */
struct weir_l1 *weir_l1_clone(const struct weir_l1 *l1, const struct weir_l1_host *host);
/* A hash of all that its organisation and policies remember. */
uint64_t weir_l1_parts_hash(const struct weir_l1 *l1);

#endif
