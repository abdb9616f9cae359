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

/* Bits of hardware that each part of a design says it has on a machine, by its number; those of SM
 * 0, which has what there is once for all. */
enum weir_status weir_l1_storage(const struct weir_machine *m, const struct weir_design *d,
                                 uint64_t bits[WEIR_MAX_PARTS], struct weir_err *err);
/* Bits that they need in the lines of the L2, all slices together. */
uint64_t weir_l2_storage(const struct weir_machine *m, const struct weir_design *d);

#endif
