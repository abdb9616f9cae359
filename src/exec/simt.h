/* SIMT execution of one warp: splits, joins, exchanges, barriers. */
#ifndef WEIR_EXEC_SIMT_H
#define WEIR_EXEC_SIMT_H

#include "exec/core.h"

/* All lanes of `live` at the kernel's first instruction. False when the host is out of memory. */
bool ptx_warp_start(struct ptx_warp *w, uint32_t live);
/* Up to `budget` instructions; returns how many. 0: nothing can run (it waits, or has exited).
 * Stops early at a fault. */
uint64_t ptx_warp_run(struct ptx_warp *w, uint64_t budget, uint32_t yield_after);
void ptx_warp_free(struct ptx_warp *w);

#endif
