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
/* What it takes for an SM. */
size_t weir_collect_bytes(const struct weir_machine *m);
void weir_collect_reset(struct weir_sm *sm);
/* The next instruction of a warp issues: its unit's latch is free, as unit_free says. True: it will
 * be so in the next cycle, too; false: when weir_collect_run has emptied it. */
bool weir_collect_put(struct weir_sm *sm, uint32_t slot, uint64_t now);
/* To be called in the cycle that collect_at says, before the schedulers issue; in others it does
 * nothing. */
void weir_collect_run(struct weir_sm *sm, uint64_t now);

#endif
