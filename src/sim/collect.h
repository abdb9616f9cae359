/* Operand collectors (sm.collector_units), as in GPGPU-Sim 4 with sub-cores: an instruction that
 * has issued waits in a latch of its unit and scheduler for a collector of that scheduler, there
 * until the banks have given its registers, then in a second latch for the unit itself. Accesses to
 * memory do not come through here.
 *
 * Each scheduler has its share of the collectors and of the banks; what issues of different
 * schedulers have in common is the order in which latches of a kind of unit are emptied: the oldest
 * instruction first, and while it finds no collector, none. */
#ifndef WEIR_SIM_COLLECT_H
#define WEIR_SIM_COLLECT_H

#include "machine/machine.h"

struct weir_sm;
struct weir_collect;

/* NULL: out of memory. */
struct weir_collect *weir_collect_new(const struct weir_machine *m);
void weir_collect_free(struct weir_collect *x);
void weir_collect_reset(struct weir_collect *x);
/* No instruction is between issue and unit. */
bool weir_collect_is_empty(const struct weir_collect *x);
/* The next instruction of a warp issues: its unit's latch is free, as unit_free says. */
void weir_collect_put(struct weir_sm *sm, uint32_t slot, uint64_t now);
/* To be called in every cycle in which it is not empty, before the schedulers issue. */
void weir_collect_run(struct weir_sm *sm, uint64_t now);

#endif
