/* What the files of an SM share: issue.c, blocks.c, ldst.c, sm.c. */
#ifndef WEIR_SIM_SM_CORE_H
#define WEIR_SIM_SM_CORE_H

#include "sim/sm.h"

/* Does the warp have an instruction between issue and unit? */
static inline bool weir_sm_is_collecting(const struct weir_sm_warp *w, uint64_t now) {
  return w->collecting > 0 || w->collected_at > now;
}

/* ---- issue.c ---- */

/* Find out when the registers of the next instruction of a warp that runs are ready; not before
 * cycle `t`. */
void weir_sm_find_ready(struct weir_sm *sm, uint32_t slot, uint64_t t);
/* A warp that runs does so no more. */
void weir_sm_stop_warp(struct weir_sm *sm, uint32_t slot, enum weir_warp_state state);
/* Schedulers issue, the coalescer moves on, blocks retire. True: something was issued. */
bool weir_sm_issue(struct weir_sm *sm, uint64_t now, bool *queued, bool *retired, uint64_t *wake);
/* No warp runs, all units are free. */
void weir_sched_reset(struct weir_sm *sm, unsigned scheduler, uint64_t now);
/* Count the slots until now. */
void weir_sched_settle(struct weir_sm *sm, struct weir_sched *c, uint64_t now);

/* ---- blocks.c ---- */

/* Fetch the warp's next instruction; a warp that has none ends. */
void weir_sm_advance(struct weir_sm *sm, uint32_t slot, uint64_t now);
/* The warp's next instruction is fetched. */
void weir_sm_take_next(struct weir_sm *sm, uint32_t slot, uint64_t now);
/* The warp has issued a barrier and stands at what follows it. */
void weir_sm_reach_barrier(struct weir_sm *sm, uint32_t slot, struct weir_barrier at, bool waits,
                           uint64_t now);
void weir_sm_tell_warp(struct weir_sm *sm, uint32_t slot, enum weir_warp_event e, uint64_t now);
void weir_sm_take_blocks(struct weir_sm *sm, uint64_t now);
/* A block ends when its warps have, and all that they asked for has come. True: one has; *wake:
 * when one will, if it is known. */
bool weir_sm_retire_blocks(struct weir_sm *sm, uint64_t now, uint64_t *wake);

#endif
