/* Calls of functions and returns from them. False: a fault. */
#ifndef WEIR_EXEC_CALL_H
#define WEIR_EXEC_CALL_H

#include "exec/core.h"

/* Lanes `mask` of a leaf go to the function; the others wait behind the call. */
bool ptx_call_enter(struct ptx_warp *w, int32_t leaf, const struct ptx_call *c, uint32_t mask,
                    uint32_t pc);
/* Each function is called by the lanes that want it; all meet behind the call. */
bool ptx_call_indirect(struct ptx_warp *w, int32_t leaf, const struct ptx_uop *u, uint32_t mask,
                       uint32_t pc);
/* Lanes `mask` of a leaf return: they leave the joins inside the function and arrive behind the
 * call. */
bool ptx_call_return(struct ptx_warp *w, int32_t leaf, uint32_t mask);

#endif
