/* Exchanges between lanes of a warp: shuffles, votes, matches, reductions, matrices.
 *
 * Lanes wait until all living members that they name are there. */
#ifndef WEIR_EXEC_EXCHANGE_H
#define WEIR_EXEC_EXCHANGE_H

#include "exec/core.h"

/* Lanes `mask` of a leaf come to an exchange. True: it is done and the leaf may go on at once;
 * false: they wait, or a fault. */
bool ptx_exchange_wait(struct ptx_warp *w, int32_t leaf, const struct ptx_uop *u, uint32_t mask,
                       uint32_t pc);
/* After lanes have exited or come: does somebody wait for nobody now? */
void ptx_exchange_check(struct ptx_warp *w);

#endif
