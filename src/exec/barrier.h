/* Barriers of a block.
 *
 * Lanes that come to a barrier wait for the rest of their warp, those that have exited left out;
 * only then does the warp count there. As on an H200:
 *
 *   barrier   the others may come to another barrier instruction, if that is one of the same kind
 *   bar       they must come to this instruction: what is aligned is for whole warps. But an
 *             assembler makes a short arm of a branch into guarded instructions, and of a guarded
 *             bar.sync or bar.arrive the warp counts at once, with all lanes waiting: so it is here
 *             where only such branches lie between these lanes and their warp */
#ifndef WEIR_EXEC_BARRIER_H
#define WEIR_EXEC_BARRIER_H

#include "exec/core.h"

/* Lanes `mask` of a leaf come to a barrier instruction. They wait, or are through already: then the
 * warp has a current leaf. False: a fault, here as below. */
bool ptx_barrier_wait(struct ptx_warp *w, int32_t leaf, const struct ptx_uop *u, uint32_t mask,
                      uint32_t pc);
/* After lanes have exited: others may wait for nobody now. */
bool ptx_barrier_leave(struct ptx_warp *w);

#endif
